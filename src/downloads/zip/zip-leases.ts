import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import { deleteZipLease, renewZipLease } from './queries.ts'

/**
 * Renewed long before it ends, so that a busy process or small clock differences cut no download.
 */
const leaseDuration = 300_000 // ms
const renewInterval = 60_000 // ms

/**
 * Runs `work`, which reads all files of the share `uid`. Until it ends, the clean-up keeps their
 * bytes, even if the share expires or is deleted. After a crash it keeps them for up to five
 * minutes.
 */
export async function withFilesKept(ctx: Pick<Context, 'db' | 'log' | 'now'>, uid: string, work: () => Promise<void>): Promise<void> {
  const id = randomUUID()
  const renew = () => renewZipLease(ctx.db, { id, shareUid: uid, until: new Date(ctx.now().getTime() + leaseDuration) })
  const failed = (err: unknown) => ctx.log.warn({ err }, 'zip lease not updated')
  await renew()
  const renewing = setInterval(() => renew().catch(failed), renewInterval)
  try {
    await work()
  } finally {
    clearInterval(renewing)
    deleteZipLease(ctx.db, id).catch(failed) // not awaited, so that it does not delay the end of the response
  }
}
