import { sql } from 'kysely'
import { keepingResult } from '../db/kept-result.ts'
import type { Db } from '../db/schema.ts'

/**
 * Returns the counts of `usage`. With many million files, counting takes seconds. So with more than
 * 100,000 of them, the same counts are returned for a minute.
 */
export const recentUsage = keepingResult(usage, { keptFor: 60_000, keeps: ({ fileCount }) => fileCount > 100_000 })

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
