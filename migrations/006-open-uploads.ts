import { type Kysely, sql } from 'kysely'

/** Uploads that are not finished are counted for the metrics, and looked for by the clean-up. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index file_open on file (share_id) where completed_at is null`.execute(db)
}
