import type { Context } from '../src/context.ts'
import { claimDeleted, deleteRemovedObjects } from '../src/db/deleted-objects.ts'
import { StoreUnavailable } from '../src/storage/object-store.ts'

type Tools = Pick<Context, 'db' | 'storage' | 'log' | 'now'>

/** How long one clean-up has a batch to itself, in ms; what it could not remove is tried again after that. */
const CLAIM = 120_000

/** Removes up to `limit` objects, and aborts uploads, that no row names any more; answers how many it took on. Rows go only after their bytes. */
export async function removeDeletedObjects(ctx: Tools, limit: number): Promise<number> {
  const now = ctx.now()
  const until = new Date(now.getTime() + CLAIM)
  const claimed = await claimDeleted(ctx.db, { now, until, limit })
  const kept = new Set<string>()
  for (const { key, uploadId } of claimed) {
    if (uploadId !== null) await attempt(key, () => ctx.storage.abort({ key, id: uploadId }))
  }
  const keys = claimed.map(({ key }) => key).filter((key) => !kept.has(key))
  await removeAll(keys)
  await deleteRemovedObjects(
    ctx.db,
    keys.filter((key) => !kept.has(key)),
    until,
  )
  return claimed.length

  /** One by one where a batch as a whole is refused, so that one bad key cannot keep the others. */
  async function removeAll(keys: string[]): Promise<void> {
    try {
      if (keys.length > 0) await ctx.storage.remove(keys)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      for (const key of keys) await attempt(key, () => ctx.storage.remove([key]))
    }
  }

  async function attempt(key: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (err) {
      if (err instanceof StoreUnavailable) throw err
      ctx.log.error({ err, key }, 'object could not be removed')
      kept.add(key)
    }
  }
}
