import { type Kysely, sql } from 'kysely'

/** Adds an index for unfinished uploads, which metrics count and the clean-up deletes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index file_open on file (share_id) where completed_at is null`.execute(db)
}
