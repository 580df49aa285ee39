import { type Kysely, sql } from 'kysely'

/** Adds the verification of email addresses. Existing accounts count as verified. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "user" add column email_verified boolean not null default true`.execute(db)
  await sql`
    create table email_token (
      token_hash text primary key,
      user_id uuid not null references "user" on delete cascade,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    )`.execute(db)
  await sql`create index email_token_of_user on email_token (user_id)`.execute(db)
  await sql`create index email_token_expiry on email_token (expires_at)`.execute(db)
}
