import { sql } from 'kysely'
import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import type { Share } from '../shares/queries.ts'
import { StoreFull } from '../storage/object-store.ts'
import { dropFile } from './queries.ts'

type Storing = Pick<Context, 'db' | 'storage'>

/**
 * Removes a file that was just announced if the store has no room for it and all other announced
 * bytes that have not arrived. Each announcement is committed before this check, so of files that
 * don't fit together at least one is refused, on any replica. Files that don't fit are checked
 * again one by one, so that no more than necessary are refused.
 *
 * @throws {StoreFull} the file was removed
 */
export async function keepIfRoom(ctx: Storing, share: Share, fileId: string): Promise<void> {
  if (await hasRoom(ctx, ctx.db)) return
  const fits = await ctx.db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('razorbill announced bytes'))`.execute(tx)
    if (await hasRoom(ctx, tx)) return true
    await dropFile(tx, share, fileId)
    return false
  })
  if (!fits) throw storeFull()
}

/**
 * Checks that the store has room for `bytes`, in addition to announced bytes that have not arrived.
 *
 * @throws {StoreFull} it has not
 */
export async function needRoomFor(ctx: Storing, bytes: number): Promise<void> {
  if (!(await hasRoom(ctx, ctx.db, bytes))) throw storeFull()
}

async function hasRoom({ storage }: Storing, db: Db, bytes = 0): Promise<boolean> {
  const free = (await storage.room?.()) ?? null
  if (free === null) return true
  const announced = await announcedBytes(db)
  if (announced + bytes <= free) return true // even if none of them has arrived
  return announced - (await arrivedBytes(db)) + bytes <= free
}

/** For a file uploaded in chunks, only the number of chunks is known. */
async function announcedBytes(db: Db): Promise<number> {
  const { bytes } = await db
    .selectFrom('file')
    .select(sql<number>`coalesce(sum(coalesce(chunks::bigint * part_size, size)), 0)::bigint`.as('bytes'))
    .where('completedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return bytes
}

async function arrivedBytes(db: Db): Promise<number> {
  const { bytes } = await db
    .selectFrom('filePart')
    .select(sql<number>`coalesce(sum(size), 0)::bigint`.as('bytes'))
    .executeTakeFirstOrThrow()
  return bytes
}

function storeFull(): StoreFull {
  return new StoreFull('No room for the announced bytes')
}
