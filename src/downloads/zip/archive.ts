import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { inTurns } from '../../process/in-turns.ts'
import type { Representation } from '../bytes/send-bytes.ts'
import { archivedFiles, type ShareAccess } from '../queries.ts'
import { pieceAt, planZipSteps, zipEtagSteps } from './layout.ts'
import { zipNameSteps } from './names.ts'
import { sendZip } from './stream.ts'
import { withFilesKept } from './zip-leases.ts'

type Archiving = Pick<Context, 'db' | 'env' | 'log' | 'now' | 'storage'>

export type Archive =
  | ({
      state: 'ready'
      /** Returns the first object that the bytes from `position` on come from; null if there is none. */
      objectAt(position: number): { objectKey: string; size: number } | null
    } & Pick<Representation, 'size' | 'etag' | 'modified' | 'send'>)
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
  const key = `zips/${access.uid}/${access.revision}`
  return {
    state: 'ready',
    size,
    etag: `"${access.uid}-${access.revision}-${size}"`,
    modified: access.completedAt,
    objectAt: () => ({ objectKey: key, size }),
    send: (range, to) => ctx.storage.send(key, range, to),
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
    objectAt(position) {
      const entry = plan.entries[pieceAt(plan, position)]
      return entry ? { objectKey: entry.key, size: entry.size } : null
    },
    send: (range, to) => withFilesKept(ctx, uid, () => sendZip(ctx.storage, plan, range, to)),
  }
}

function hasChecksum<F extends { crc32: number | null }>(file: F): file is F & { crc32: number } {
  return file.crc32 !== null
}
