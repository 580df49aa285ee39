import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Context } from '../../context.ts'
import { signUntil, verifyUntil } from '../../crypto/signed.ts'
import { AppError } from '../../errors.ts'
import { inTurns } from '../../process/in-turns.ts'
import type { Steps } from '../../process/steps.ts'
import { selectionMaxCharacters } from '../limits.ts'
import type { ShareAccess } from '../queries.ts'

/** How long a token is valid: as long as an interrupted download can be resumed without cookies. */
const lifetime = 86_400_000 // ms
/** Maximum length of the unpacked positions in bytes: one bit for each of a million files. */
const positionsMaxBytes = 125_000

type Signing = Pick<Context, 'sealer' | 'now'>

interface ListedFile {
  id: string
  name: string
}

/** What a visitor selects: files by their IDs, and folders with everything in them. */
export interface Selection {
  files: readonly string[]
  folders: readonly string[]
}

/** The part of an archive that a request names: one folder, or a token from `newSelection`. */
export interface Choice {
  folder?: string | undefined
  selection?: string | undefined
}

/**
 * Returns a token for some of a share's files, which are given in their order. It has the form
 * `uid.positions.digest.expires.mac` and is signed for the link. Positions are a compressed set of
 * bits, because thousands of IDs would not fit into an address. The digest of the IDs shows that
 * the positions still mean the same files.
 *
 * @throws {AppError} file_not_found: nothing is selected
 * @throws {AppError} selection_changed: the share doesn't have, or no longer has, a file or folder
 * @throws {AppError} selection_too_large
 */
export async function newSelection(
  ctx: Signing,
  { linkId, uid }: ShareAccess,
  all: readonly ListedFile[],
  selection: Selection,
): Promise<string> {
  const indexes = await inTurns(indexSteps(all, selection))
  const bits = new Uint8Array(Math.ceil(((indexes.at(-1) ?? 0) + 1) / 8))
  for (const index of indexes) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7))
  const digest = await inTurns(digestSteps(indexes.map((index) => all[index])))
  const fields = [uid, deflateRawSync(bits).toString('base64url'), digest]
  const token = signUntil(ctx.sealer, bindingOf(linkId), fields, ctx.now().getTime() + lifetime)
  if (token.length > selectionMaxCharacters) throw new AppError('selection_too_large')
  return token
}

/**
 * Returns the selected files, out of all files in their order.
 *
 * @throws {AppError} selection_expired: the token is forged, expired, or for another share
 * @throws {AppError} selection_changed: selected files were removed or replaced meanwhile
 */
export async function selectedFiles<F extends ListedFile>(
  ctx: Signing,
  { linkId, uid }: ShareAccess,
  all: readonly F[],
  token: string,
): Promise<F[]> {
  const [signedUid, positions = '', digest] = verifyUntil(ctx.sealer, bindingOf(linkId), token, ctx.now()) ?? []
  if (signedUid !== uid) throw new AppError('selection_expired')
  const bits = inflateRawSync(Buffer.from(positions, 'base64url'), { maxOutputLength: positionsMaxBytes })
  const files = all.filter((_, index) => ((bits[index >> 3] ?? 0) >> (index & 7)) & 1)
  if ((await inTurns(digestSteps(files))) !== digest) throw new AppError('selection_changed')
  return files
}

/** Returns the positions of the selected files in ascending order. */
function* indexSteps(all: readonly ListedFile[], { files, folders }: Selection): Steps<number[]> {
  const selected = new Set(folders)
  const missing = { files: new Set(files), folders: new Set(folders) }
  const indexes: number[] = []
  for (const [index, { id, name }] of all.entries()) {
    let isSelected = missing.files.delete(id)
    for (let folder = selected.size > 0 ? parentOf(name) : ''; folder !== ''; folder = parentOf(folder)) {
      if (!selected.has(folder)) continue
      missing.folders.delete(folder)
      isSelected = true
    }
    if (isSelected) indexes.push(index)
    yield
  }
  if (missing.files.size > 0 || missing.folders.size > 0) throw new AppError('selection_changed')
  if (indexes.length === 0) throw new AppError('file_not_found')
  return indexes
}

/** Returns the path of the innermost folder that contains all files; empty if there is none. */
export function commonFolder(files: readonly { name: string }[]): string {
  let common = parentOf(files[0]?.name ?? '')
  for (const { name } of files) while (common !== '' && !name.startsWith(`${common}/`)) common = parentOf(common)
  return common
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}

function* digestSteps(files: readonly (ListedFile | undefined)[]): Steps<string> {
  const hash = createHash('sha256')
  for (const file of files) {
    hash.update(file?.id ?? '')
    yield
  }
  return hash.digest('base64url').slice(0, 22)
}

function bindingOf(id: string) {
  return { purpose: 'selections of files', prefix: `${id}.` } as const
}
