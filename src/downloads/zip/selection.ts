import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Context } from '../../context.ts'
import { signUntil, verifyUntil } from '../../crypto/signed.ts'
import { AppError } from '../../errors.ts'
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
export interface Wanted {
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
 * @throws {AppError} file_not_found: nothing is selected, or something that the share doesn't have
 * @throws {AppError} selection_too_large
 */
export function newSelection(ctx: Signing, { id, uid }: ShareAccess, all: readonly ListedFile[], wanted: Wanted): string {
  const chosen = indexesOf(all, wanted)
  const bits = Buffer.alloc(Math.ceil(((chosen.at(-1) ?? 0) + 1) / 8))
  for (const index of chosen) bits.writeUInt8(bits.readUInt8(index >> 3) | (1 << (index & 7)), index >> 3)
  const fields = [uid, deflateRawSync(bits).toString('base64url'), digestOf(chosen.map((index) => all[index]))]
  const token = signUntil(ctx.sealer, bindingOf(id), fields, ctx.now().getTime() + lifetime)
  if (token.length > selectionMaxCharacters) throw new AppError('selection_too_large')
  return token
}

/**
 * Returns the files of an archive that a request names, out of all files in their order.
 *
 * @throws {AppError} file_not_found: the share has no such folder
 * @throws {AppError} selection_expired: the token is forged, expired, or for another share
 * @throws {AppError} selection_changed: selected files were removed or replaced meanwhile
 */
export function chosenFiles<F extends ListedFile>(ctx: Signing, access: ShareAccess, all: readonly F[], choice: Choice): readonly F[] {
  if (choice.selection !== undefined) return selectedFiles(ctx, access, all, choice.selection)
  if (choice.folder === undefined) return all
  return indexesOf(all, { files: [], folders: [choice.folder] }).map((index) => all[index] as F)
}

function selectedFiles<F extends ListedFile>(ctx: Signing, { id, uid }: ShareAccess, all: readonly F[], token: string): F[] {
  const [ofUid, positions = '', digest] = verifyUntil(ctx.sealer, bindingOf(id), token, ctx.now()) ?? []
  if (ofUid !== uid) throw new AppError('selection_expired')
  const bits = inflateRawSync(Buffer.from(positions, 'base64url'), { maxOutputLength: positionsMaxBytes })
  const files = all.filter((_, index) => ((bits[index >> 3] ?? 0) >> (index & 7)) & 1)
  if (digestOf(files) !== digest) throw new AppError('selection_changed')
  return files
}

/** Returns the positions of the wanted files in ascending order. */
function indexesOf(all: readonly ListedFile[], { files, folders }: Wanted): number[] {
  const ids = new Set(files)
  const prefixes = new Set(folders.map((folder) => `${folder}/`))
  const found = new Set<string>()
  const indexes: number[] = []
  for (const [index, { id, name }] of all.entries()) {
    const containing = [...prefixes].filter((prefix) => name.startsWith(prefix))
    for (const prefix of containing) found.add(prefix)
    if (ids.delete(id) || containing.length > 0) indexes.push(index)
  }
  if (indexes.length === 0 || ids.size > 0 || found.size < prefixes.size) throw new AppError('file_not_found')
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

function digestOf(files: readonly (ListedFile | undefined)[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(file?.id ?? '')
  return hash.digest('base64url').slice(0, 22)
}

function bindingOf(id: string) {
  return { purpose: 'selections of files', prefix: `${id}.` } as const
}
