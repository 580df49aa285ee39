import { readSettings } from '../src/config/service.ts'
import type { Context } from '../src/context.ts'
import { forgetPreviews } from '../src/previews/queries.ts'
import type { Jobs } from '../src/queue/jobs.ts'

type Tools = Pick<Context, 'db' | 'env' | 'log' | 'now' | 'queue' | 'storage'>

/**
 * Makes previews of a share's files, a few at a time. While previews are turned off, the programs
 * are not even looked for.
 */
export async function makePreviews(ctx: Tools, { shareUid }: Jobs['make-previews'], stopping: AbortSignal): Promise<void> {
  const { 'share.previews': isOn } = await readSettings(ctx)
  if (!isOn) return
  const { previewsOfShare } = await import('./previews/share.ts')
  await previewsOfShare(ctx, shareUid, stopping)
}

let areForgotten = false

/**
 * Queues previews that are missing, for a few shares, so that new shares do not wait for old ones.
 * After previews were turned off, deletes up to `limit` of them and returns their number. Once none
 * is left, does nothing.
 */
export async function sweepPreviews(ctx: Tools, limit: number): Promise<number> {
  const { 'share.previews': isOn } = await readSettings(ctx)
  if (isOn) {
    areForgotten = false
    const { enqueuePreviews } = await import('./previews/share.ts')
    await enqueuePreviews(ctx)
    return 0
  }
  if (areForgotten) return 0
  const count = await forgetPreviews(ctx.db, limit)
  areForgotten = count === 0
  return count
}
