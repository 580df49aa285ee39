import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { inTurns } from '../../process/in-turns.ts'
import { checkObject, openChecked, recordingDamage, type StoredObject, sendChecked } from '../bytes/object-check.ts'
import type { Representation } from '../bytes/send-bytes.ts'
import { archivedFiles, type ShareAccess } from '../queries.ts'
import { pieceAt, planZipSteps, type ZipPlan, zipEtagSteps } from './layout.ts'
import { zipNameSteps } from './names.ts'
import { sendZip } from './stream.ts'
import { withFilesKept } from './zip-leases.ts'

type Archiving = Pick<Context, 'db' | 'env' | 'log' | 'metrics' | 'now' | 'storage'>

export type Archive =
  | ({ state: 'ready' } & Pick<Representation, 'size' | 'etag' | 'modified' | 'send' | 'check'>)
  | { state: 'preparing' | 'failed'; progress: number }

/**
 * Returns the archive of a share's files. At compression level 0, or before a zip was requested for
 * this revision, it is computed and streamed from the files, once the worker knows the CRC-32 of
 * files uploaded directly to the store. Otherwise it is the zip that the worker builds.
 */
export async function archiveOf(ctx: Archiving, access: ShareAccess): Promise<Archive> {
  const { 'share.zipCompressionLevel': level } = await readSettings(ctx)
  if (level === 0 || access.zipState === 'none') return plannedArchive(ctx, access)
  if (access.zipState !== 'ready' || access.zipSize === null) {
    return { state: access.zipState === 'failed' ? 'failed' : 'preparing', progress: access.zipProgress }
  }
  const { zipSize: size } = access
  const zip = { objectKey: `zips/${access.uid}/${access.revision}`, size, crc32: null }
  return {
    state: 'ready',
    size,
    etag: `"${access.uid}-${access.revision}-${size}"`,
    modified: access.completedAt,
    check: () => checkObject(ctx, zip),
    send: (range, to, onOpen) => sendChecked(ctx, zip, range, to, onOpen),
  }
}

async function plannedArchive(ctx: Archiving, { id, uid, completedAt }: ShareAccess): Promise<Archive> {
  const all = await archivedFiles(ctx.db, id)
  const files = all.filter(hasChecksum)
  if (files.length < all.length) return { state: 'preparing', progress: files.length / all.length }
  const names = await inTurns(zipNameSteps(files.map(({ name }) => name)))
  const entries = files.map(({ name, size, crc32, objectKey, completedAt: modified }, index) => ({
    name: names[index] ?? name,
    size,
    crc32,
    modified,
    key: objectKey,
  }))
  const plan = await inTurns(planZipSteps(entries))
  const etag = await inTurns(zipEtagSteps(plan))
  return {
    state: 'ready',
    size: plan.size,
    etag: `"${etag}"`,
    modified: completedAt,
    async check({ start }) {
      const object = objectAt(plan, start)
      if (object) await checkObject(ctx, object)
    },
    send: (range, to, onOpen) =>
      withFilesKept(ctx, uid, () =>
        recordingDamage(ctx, async () => {
          const object = objectAt(plan, range.start)
          if (object) return openChecked(ctx, object, onOpen, (opened) => sendZip(ctx.storage, plan, range, to, opened))
          await onOpen()
          await sendZip(ctx.storage, plan, range, to)
        }),
      ),
  }
}

/** Returns the object of the file that the archive has at `position`; null in its directory. */
function objectAt(plan: ZipPlan, position: number): StoredObject | null {
  const entry = plan.entries[pieceAt(plan, position)]
  return entry ? { objectKey: entry.key, size: entry.size } : null
}

function hasChecksum<F extends { crc32: number | null }>(file: F): file is F & { crc32: number } {
  return file.crc32 !== null
}
