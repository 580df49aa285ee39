import { type Kysely, sql } from 'kysely'

/** When a received share was last changed by its sender after it arrived; and links that differ only in case are looked for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table share add column sender_changed_at timestamptz`.execute(db)
  await sql`create index share_id_lower on share (lower(id))`.execute(db)
  await sql`create index reverse_share_token_lower on reverse_share (lower(token))`.execute(db)
}
