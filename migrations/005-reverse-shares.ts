import { type Kysely, sql } from 'kysely'

/** Adds reverse shares, unsaved changes of shares, and email recipients. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const asked = (name: string) =>
    sql`${sql.ref(name)} text not null default 'off' check (${sql.ref(name)} in ('off', 'optional', 'required'))`
  await sql`
    create table reverse_share (
      id uuid primary key default gen_random_uuid(),
      token text not null unique check (token ~ '^[A-Za-z0-9_-]{3,50}$'),
      owner_id uuid not null references "user" on delete cascade,
      name text,
      password_hash text,
      max_size bigint not null check (max_size > 0),
      max_uses integer not null check (max_uses > 0),
      uses integer not null default 0 check (uses >= 0),
      send_email_notification boolean not null default false,
      simplified boolean not null default false,
      public_access boolean not null default true,
      ${asked('ask_name')},
      ${asked('ask_email')},
      ${asked('ask_message')},
      allowed_types text[] not null default '{}',
      expires_at timestamptz,
      created_at timestamptz not null default now(),
      notified_at timestamptz,
      arrivals text[] not null default '{}'
    )`.execute(db)
  await sql`create index reverse_share_owner on reverse_share (owner_id, created_at desc)`.execute(db)
  await sql`create index reverse_share_expiry on reverse_share (expires_at) where expires_at is not null`.execute(db)
  await sql`create index reverse_share_arrivals on reverse_share (notified_at) where arrivals <> '{}'`.execute(db)
  await sql`
    alter table share
      add column reverse_share_id uuid references reverse_share on delete set null,
      add column receiver_id uuid references "user" on delete cascade,
      add column private boolean not null default false,
      add column max_size bigint,
      add column sender_name text,
      add column sender_email text,
      add column sender_message text,
      add column published_at timestamptz`.execute(db)
  await sql`create index share_reverse on share (reverse_share_id) where reverse_share_id is not null`.execute(db)
  await sql`create index share_receiver on share (receiver_id) where receiver_id is not null`.execute(db)
  await sql`alter table file add column removed_at timestamptz, add column pending_name text`.execute(db)
  await sql`
    create table share_recipient (
      id uuid primary key default gen_random_uuid(),
      share_id text not null references share on update cascade on delete cascade,
      email text not null,
      email_key text not null,
      mail_id uuid references mail on delete set null,
      outcome text check (outcome in ('sent', 'failed')),
      error text,
      sent_at timestamptz,
      created_at timestamptz not null default now(),
      unique (share_id, email_key)
    )`.execute(db)
  await sql`create index share_recipient_mail on share_recipient (mail_id) where mail_id is not null`.execute(db)
  // Deleting an incomplete share releases the use of its reverse share.
  await sql`
    create function share_unused() returns trigger language plpgsql as $$
    begin
      update reverse_share set uses = greatest(0, uses - 1) where id = old.reverse_share_id;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger share_unused after delete on share for each row
    when (old.reverse_share_id is not null and old.completed_at is null) execute function share_unused()`.execute(db)
  // The outcome of an email is kept after the email is deleted.
  await sql`
    create function mail_forgotten() returns trigger language plpgsql as $$
    begin
      update share_recipient set outcome = old.state, error = old.error, sent_at = old.sent_at
      where mail_id = old.id and old.state in ('sent', 'failed');
      return old;
    end $$`.execute(db)
  await sql`create trigger mail_forgotten before delete on mail for each row execute function mail_forgotten()`.execute(db)
}
