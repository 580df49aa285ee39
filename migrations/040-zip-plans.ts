import { type Kysely, sql } from 'kysely'

/**
 * Adds the length and the validator of a large share's archive, so that it can be sent before all of
 * its files are read. A version without them computes both. The revision shows whether they are
 * still those of the share's files.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table share add column zip_plan jsonb`.execute(db)
}
