import type { Settings } from '../../config/settings.ts'
import type { Context } from '../../context.ts'
import { checkObject, openChecked, recordingDamage, type StoredObject, sendChecked } from '../bytes/object-check.ts'
import type { Representation } from '../bytes/send-bytes.ts'
import { archivedFiles, type ShareAccess } from '../queries.ts'
import type { KeptPlan } from './kept-plans.ts'
import { plannedPieceAt, type ZipPlan } from './layout.ts'
import { growingPlanOf, planOfFiles, planOfShare } from './plans.ts'
import { type Choice, chosenFiles, commonFolder } from './selection.ts'
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
 * @throws the errors of `chosenFiles`
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
  return 'plan' in planned ? { ...readyArchive(ctx, access, opened(planned)), revision } : { state: 'preparing', ...planned }
}

async function partialArchive(ctx: Archiving, access: ShareAccess, choice: Choice): Promise<Archive> {
  const all = await archivedFiles(ctx.pool, access.id)
  const chosen = await chosenFiles(ctx, access, all, choice)
  const path = choice.selection === undefined ? choice.folder : chosen.length < all.length ? commonFolder(chosen) : undefined
  const outer = path?.slice(0, path.lastIndexOf('/') + 1) ?? ''
  const planned = await planOfFiles(chosen, outer.length)
  if (!('plan' in planned)) return { state: 'preparing', ...planned }
  const whole = chosen.length === all.length ? { revision: access.revision } : {}
  const archive = { ...readyArchive(ctx, access, opened(planned)), ...whole }
  return path ? { ...archive, folder: path.slice(outer.length) } : archive
}

/** A planned archive; `open` returns its plan, of which the first entries are planned. */
interface Opening {
  size: number
  etag: string
  open(): Promise<ZipPlan>
}

function opened({ plan, etag }: KeptPlan): Opening {
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
