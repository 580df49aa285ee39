import { type Kysely, sql } from 'kysely'

/** Adds provider accounts that are linked to users. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table social_link (
      id uuid primary key default gen_random_uuid(),
      user_id uuid not null references "user" on delete cascade,
      provider text not null,
      issuer text not null,
      subject text not null,
      username text not null,
      email_key text,
      created_at timestamptz not null default now(),
      constraint social_link_of_subject unique (issuer, subject),
      constraint social_link_of_user unique (user_id, provider)
    )`.execute(db)
}
