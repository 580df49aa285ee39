import { type Kysely, sql } from 'kysely'

/** Adds the email queue. The body is encrypted, and deleted once the email is sent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table mail (
      id uuid primary key default gen_random_uuid(),
      kind text not null,
      recipient text not null,
      subject text not null,
      body text,
      share_id text references share on update cascade on delete cascade,
      state text not null default 'queued' check (state in ('queued', 'sending', 'sent', 'failed')),
      attempts integer not null default 0,
      error text,
      created_at timestamptz not null default now(),
      due_at timestamptz not null default now(),
      claimed_at timestamptz,
      sent_at timestamptz
    )`.execute(db)
  await sql`create index mail_due on mail (due_at) where state = 'queued'`.execute(db)
  await sql`create index mail_claimed on mail (claimed_at) where state = 'sending'`.execute(db)
  await sql`create index mail_share on mail (share_id) where share_id is not null`.execute(db)
  await sql`create index mail_old on mail (created_at)`.execute(db)
}
