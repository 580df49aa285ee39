import type { Context } from '../src/context.ts'
import { claimDeleted, deleteRemovedObjects } from '../src/db/deleted-objects.ts'
import { StoreUnavailable } from '../src/storage/object-store.ts'

type Tools = Pick<Context, 'db' | 'storage' | 'log' | 'now'>

/**
 * Milliseconds for which a clean-up claims a batch. Objects that it can't remove are retried later.
 */
const CLAIM = 120_000

/**
 * Removes up to `limit` objects and open uploads that no row uses, and returns how many it claimed.
 * A row is deleted only after its object.
 */
export async function removeDeletedObjects(ctx: Tools, limit: number): Promise<number> {
  const now = ctx.now()
  const until = new Date(now.getTime() + CLAIM)
  const claimed = await claimDeleted(ctx.db, { now, until, limit })
  const failed = new Set<string>()
  for (const { key, uploadId } of claimed) {
    if (uploadId !== null) await attempt(key, () => ctx.storage.abort({ key, id: uploadId }))
  }
  const keys = claimed.map(({ key }) => key).filter((key) => !failed.has(key))
  await removeAll(keys)
  await deleteRemovedObjects(
    ctx.db,
    keys.filter((key) => !failed.has(key)),
    until,
  )
  return claimed.length

  /**
   * Removes a batch, or its keys one by one if it fails, so that one bad key can't block the
   * others.
   */
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
      failed.add(key)
    }
  }
}
