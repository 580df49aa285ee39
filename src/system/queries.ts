import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

const slow = 500 // ms
const keptFor = 60_000 // ms
const kept = new WeakMap<Db, { since: number; counts: ReturnType<typeof usage> }>()

/**
 * Returns the counts of `usage`. With many million files, counting takes seconds. Then the same
 * counts are returned for a minute.
 */
export async function recentUsage(db: Db): ReturnType<typeof usage> {
  const found = kept.get(db)
  const since = performance.now()
  if (found && since - found.since < keptFor) return found.counts
  const counts = usage(db)
  kept.set(db, { since, counts }) // also for calls meanwhile
  try {
    return await counts
  } finally {
    if (performance.now() - since < slow) kept.delete(db)
  }
}

/** Counts the installation's bytes, users, shares and files. */
async function usage(db: Db) {
  const { rows } = await sql<{
    files: number
    zips: number
    uploading: number
    users: number
    shares: number
    fileCount: number
    openUploads: number
  }>`
    select
      (select coalesce(sum(size), 0)::bigint from file where completed_at is not null) as files,
      (select coalesce(sum(zip_size), 0)::bigint from share where zip_state = 'ready') as zips,
      (select coalesce(sum(size), 0)::bigint from file where completed_at is null) as uploading,
      (select count(*) from "user") as users,
      (select count(*) from share) as shares,
      (select count(*) from file where completed_at is not null) as "fileCount",
      (select count(*) from file where completed_at is null) as "openUploads"`.execute(db)
  const [row] = rows
  if (!row) throw new Error('no row for a query without a table')
  return row
}

/** Requests a failed zip again. Returns undefined when the share has changed or was deleted. */
export function requestZipAgain(db: Db, shareId: string, revision: number) {
  return db
    .updateTable('share')
    .set({ zipState: 'preparing', zipProgress: 0 })
    .where('id', '=', shareId)
    .where('revision', '=', revision)
    .where('zipState', '=', 'failed')
    .returningAll()
    .executeTakeFirst()
}
