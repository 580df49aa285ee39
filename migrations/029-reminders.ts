import { type Kysely, sql } from 'kysely'

/**
 * Adds to shares when a visitor last asked to reopen them, and the expiration that the sender and
 * the recipients were reminded of.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table share add column asked_at timestamptz, add column reminded_of timestamptz`.execute(db)
}
