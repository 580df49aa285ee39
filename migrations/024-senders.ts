import { type Kysely, sql } from 'kysely'

/**
 * Adds the address that gets the replies to an email, the addresses that users have sent shares to,
 * and whether a share is a text instead of files.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table mail add column reply_to text`.execute(db)
  await sql`alter table share add column kind text not null default 'files' check (kind in ('files', 'text'))`.execute(db)
  await sql`
    create table known_recipient (
      user_id uuid not null references "user" on delete cascade,
      email_key text not null,
      email text not null,
      used_at timestamptz not null,
      primary key (user_id, email_key)
    )`.execute(db)
  await sql`create index known_recipient_use on known_recipient (user_id, used_at desc)`.execute(db)
}
