import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import { deleteZipLease, renewZipLease } from './queries.ts'

/** Renewed long before it ends, so that a busy process or clocks that differ a little cut no download. */
const lease = 300_000 // ms
const renewEvery = 60_000 // ms

/**
 * Does `work`, in which all files of the share `uid` are read one after another. Until it is over the clean-up leaves their bytes alone, also when the share
 * expires or is deleted meanwhile; after a crash for five minutes more.
 */
export async function withFilesKept(ctx: Pick<Context, 'db' | 'log' | 'now'>, uid: string, work: () => Promise<void>): Promise<void> {
  const id = randomUUID()
  const note = () => renewZipLease(ctx.db, { id, shareUid: uid, until: new Date(ctx.now().getTime() + lease) })
  const failed = (err: unknown) => ctx.log.warn({ err }, 'a running download of an archive could not be noted')
  await note()
  const renewing = setInterval(() => note().catch(failed), renewEvery)
  try {
    await work()
  } finally {
    clearInterval(renewing)
    deleteZipLease(ctx.db, id).catch(failed) // not in the way: the answer is over, and whoever sends it looks at once how
  }
}
