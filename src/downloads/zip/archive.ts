import type { Settings } from '../../config/settings.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { checkObject, openChecked, recordingDamage, type StoredObject, sendChecked } from '../bytes/object-check.ts'
import type { Representation } from '../bytes/send-bytes.ts'
import type { ShareAccess } from '../queries.ts'
import { type ArchivedFile, archivedFiles, archivedFolder } from './archived-files.ts'
import type { KeptPlan } from './kept-plans.ts'
import { plannedPieceAt, type ZipPlan } from './layout.ts'
import { growingPlanOf, planOfFiles, planOfShare } from './plans.ts'
import { type Choice, commonFolder, selectedFiles } from './selection.ts'
import { sendZip } from './stream.ts'
import { withFilesKept } from './zip-leases.ts'

type Archiving = Pick<Context, 'db' | 'env' | 'log' | 'metrics' | 'now' | 'pool' | 'sealer' | 'storage'>

interface ReadyArchive extends Pick<Representation, 'size' | 'etag' | 'modified' | 'send' | 'check'> {
  state: 'ready'
  /** The name of the folder, if the archive has only one. */
  folder?: string
  /** The revision of the share, if the archive has all its files. */
  revision?: number
  /** The object that holds the archive; absent if it is computed. */
  objectKey?: string
}

export type Archive = ReadyArchive | { state: 'preparing' | 'failed'; progress: number }

/**
 * Returns the archive of a share's files, or of the files in `choice`. At compression level 0, or
 * before a zip was requested for this revision, it is computed and streamed from the files, once
 * the worker knows the CRC-32 of files uploaded directly to the store. Otherwise it is the zip that
 * the worker builds. The archive of a choice is always computed.
 * An encrypted share has none: its visitors' clients zip the decrypted files.
 *
 * @throws {AppError} file_not_found: the share has no such folder
 * @throws the errors of `selectedFiles`
 */
export async function archiveOf(
  ctx: Archiving,
  access: ShareAccess,
  { 'share.zipCompressionLevel': level }: Pick<Settings, 'share.zipCompressionLevel'>,
  choice: Choice = {},
): Promise<Archive> {
  if (access.encrypted) return { state: 'failed', progress: 0 }
  if (choice.folder !== undefined || choice.selection !== undefined) return partialArchive(ctx, access, choice)
  if (level === 0 || access.zipState === 'none') return plannedArchive(ctx, access)
  if (access.zipState !== 'ready' || access.zipSize === null) {
    return { state: access.zipState === 'failed' ? 'failed' : 'preparing', progress: access.zipProgress }
  }
  const { zipSize: size } = access
  const zip = { objectKey: `zips/${access.uid}/${access.revision}`, size, crc32: null }
  return {
    state: 'ready',
    size,
    revision: access.revision,
    objectKey: zip.objectKey,
    etag: `"${access.uid}-${access.revision}-${size}"`,
    modified: access.completedAt,
    check: () => checkObject(ctx, zip),
    send: (range, to, onOpen) => sendChecked(ctx, zip, range, to, onOpen),
  }
}

async function plannedArchive(ctx: Archiving, access: ShareAccess): Promise<Archive> {
  const { zipPlan: summary, revision } = access
  if (summary?.revision === revision)
    return { ...readyArchive(ctx, access, { ...summary, open: () => growingPlanOf(ctx, access, summary) }), revision }
  const planned = await planOfShare(ctx, access)
  return 'plan' in planned ? { ...readyArchive(ctx, access, openingOf(planned)), revision } : { state: 'preparing', ...planned }
}

async function partialArchive(ctx: Archiving, access: ShareAccess, choice: Choice): Promise<Archive> {
  const { files, isWhole, folder: path } = await chosenFiles(ctx, access, choice)
  const outer = path?.slice(0, path.lastIndexOf('/') + 1) ?? ''
  const planned = await planOfFiles(files, outer.length)
  if (!('plan' in planned)) return { state: 'preparing', ...planned }
  const archive = { ...readyArchive(ctx, access, openingOf(planned)), ...(isWhole && { revision: access.revision }) }
  return path ? { ...archive, folder: path.slice(outer.length) } : archive
}

/** The files of an archive that a request names. */
interface Chosen {
  files: readonly ArchivedFile[]
  /** Whether these are all files of the share. */
  isWhole: boolean
  /** The folder that contains them, if the archive is named after it. */
  folder: string | undefined
}

async function chosenFiles(ctx: Archiving, access: ShareAccess, { folder = '', selection }: Choice): Promise<Chosen> {
  if (selection === undefined) {
    const chosen = await archivedFolder(ctx.pool, access.id, folder)
    if (chosen.files.length === 0) throw new AppError('file_not_found')
    return { ...chosen, folder }
  }
  const all = await archivedFiles(ctx.pool, access.id)
  const files = await selectedFiles(ctx, access, all, selection)
  const isWhole = files.length === all.length
  return { files, isWhole, folder: isWhole ? undefined : commonFolder(files) }
}

/** A planned archive; `open` returns its plan, of which the first entries are planned. */
interface Opening {
  size: number
  etag: string
  open(): Promise<ZipPlan>
}

function openingOf({ plan, etag }: KeptPlan): Opening {
  return { size: plan.size, etag, open: async () => plan }
}

function readyArchive(ctx: Archiving, { uid, completedAt }: ShareAccess, { size, etag, open }: Opening): ReadyArchive {
  return {
    state: 'ready',
    size,
    etag: `"${etag}"`,
    modified: completedAt,
    async check({ start }) {
      const object = await objectAt(await open(), start)
      if (object) await checkObject(ctx, object)
    },
    send: (range, to, onOpen) =>
      withFilesKept(ctx, uid, () =>
        recordingDamage(ctx, async () => {
          const plan = await open()
          const object = await objectAt(plan, range.start)
          if (object) return openChecked(ctx, object, onOpen, (opened) => sendZip(ctx.storage, plan, range, to, opened))
          await onOpen()
          await sendZip(ctx.storage, plan, range, to)
        }),
      ),
  }
}

/** Returns the object of the file that the archive has at `position`; null in its directory. */
async function objectAt(plan: ZipPlan, position: number): Promise<StoredObject | null> {
  const entry = plan.entries[await plannedPieceAt(plan, position)]
  return entry ? { objectKey: entry.key, size: entry.size } : null
}
