import { type Kysely, sql } from 'kysely'

/**
 * Adds the time of the sender's last change to a received share, and indexes for case-insensitive
 * links.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table share add column sender_changed_at timestamptz`.execute(db)
  await sql`create index share_id_lower on share (lower(id))`.execute(db)
  await sql`create index reverse_share_token_lower on reverse_share (lower(token))`.execute(db)
}
