import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import type { Representation } from '../bytes/send-bytes.ts'
import { archivedFiles, type ShareAccess } from '../queries.ts'
import { planZip, zipEtag } from './layout.ts'
import { zipNames } from './names.ts'
import { sendZip } from './stream.ts'
import { withFilesKept } from './zip-leases.ts'

type Archiving = Pick<Context, 'db' | 'env' | 'log' | 'now' | 'storage'>

export type Archive =
  | ({ state: 'ready' } & Pick<Representation, 'size' | 'etag' | 'modified' | 'send'>)
  | { state: 'preparing' | 'failed'; progress: number }

/**
 * A share's files in one ZIP. At level 0, or while none has been made for this revision, it is arithmetic and streamed from the files, once the worker has
 * found the CRC-32 of those that were sent straight to the store; else it is what the worker has made or is making.
 */
export async function archiveOf(ctx: Archiving, door: ShareAccess): Promise<Archive> {
  const { 'share.zipCompressionLevel': level } = await readSettings(ctx)
  if (level === 0 || door.zipState === 'none') return planned(ctx, door)
  if (door.zipState !== 'ready' || door.zipSize === null) {
    return { state: door.zipState === 'failed' ? 'failed' : 'preparing', progress: door.zipProgress }
  }
  const key = `zips/${door.uid}/${door.revision}`
  return {
    state: 'ready',
    size: door.zipSize,
    etag: `"${door.uid}-${door.revision}-${door.zipSize}"`,
    modified: door.completedAt,
    send: (range, to) => ctx.storage.send(key, range, to),
  }
}

async function planned(ctx: Archiving, { id, uid, completedAt }: ShareAccess): Promise<Archive> {
  const all = await archivedFiles(ctx.db, id)
  const files = all.filter(isChecked)
  if (files.length < all.length) return { state: 'preparing', progress: files.length / all.length }
  const names = zipNames(files.map(({ name }) => name))
  const plan = planZip(
    files.map(({ size, crc32, objectKey, completedAt: modified }, index) => ({
      name: names[index]!,
      size,
      crc32,
      modified,
      key: objectKey,
    })),
  )
  return {
    state: 'ready',
    size: plan.size,
    etag: `"${zipEtag(plan)}"`,
    modified: completedAt,
    send: (range, to) => withFilesKept(ctx, uid, () => sendZip(ctx.storage, plan, range, to)),
  }
}

function isChecked<F extends { crc32: number | null }>(file: F): file is F & { crc32: number } {
  return file.crc32 !== null
}
