import { type Kysely, sql } from 'kysely'

/** Creates the tables for accounts, shares, files, settings, rate limits, and objects to remove. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table "user" (
      id uuid primary key default gen_random_uuid(),
      username text not null,
      username_key text not null unique,
      email text not null,
      email_key text not null unique,
      password_hash text,
      is_admin boolean not null default false,
      totp_secret text,
      totp_verified boolean not null default false,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create table session (
      id uuid primary key default gen_random_uuid(),
      user_id uuid not null references "user" on delete cascade,
      token_hash text not null unique,
      previous_token_hash text,
      rotated_at timestamptz not null default now(),
      created_at timestamptz not null default now(),
      last_used_at timestamptz not null default now(),
      expires_at timestamptz not null,
      user_agent text,
      address text
    )`.execute(db)
  await sql`create index session_of_user on session (user_id)`.execute(db)
  await sql`create index session_previous on session (previous_token_hash) where previous_token_hash is not null`.execute(db)
  await sql`create index session_expiry on session (expires_at)`.execute(db)
  await sql`
    create table share (
      id text primary key check (id ~ '^[A-Za-z0-9_-]{3,50}$'),
      uid uuid not null unique default gen_random_uuid(),
      owner_id uuid references "user" on delete cascade,
      owner_token_hash text,
      name text,
      description text,
      password_hash text,
      password_version integer not null default 0,
      max_views integer check (max_views > 0),
      views integer not null default 0,
      expires_at timestamptz,
      removed_reason text,
      created_at timestamptz not null default now(),
      active_at timestamptz not null default now(),
      completed_at timestamptz,
      upload_open boolean not null default true,
      reserved bigint not null default 0 check (reserved >= 0),
      size bigint not null default 0,
      revision integer not null default 0,
      zip_revision integer,
      zip_state text not null default 'none' check (zip_state in ('none', 'preparing', 'ready', 'failed')),
      zip_progress real not null default 0,
      zip_size bigint
    )`.execute(db)
  await sql`create index share_owner on share (owner_id, created_at desc)`.execute(db)
  await sql`create index share_expiry on share (expires_at) where expires_at is not null`.execute(db)
  await sql`create index share_abandoned on share (active_at) where completed_at is null`.execute(db)
  await sql`
    create table file (
      id uuid primary key default gen_random_uuid(),
      share_id text not null references share on update cascade on delete cascade,
      name text not null,
      size bigint not null check (size >= 0),
      type text,
      object_key text not null unique,
      upload_id text,
      part_size bigint not null,
      part_count integer not null,
      crc32 bigint,
      published boolean not null default false,
      created_at timestamptz not null default now(),
      completed_at timestamptz
    )`.execute(db)
  await sql`create index file_share on file (share_id, name)`.execute(db)
  await sql`
    create table file_part (
      file_id uuid not null references file on delete cascade,
      number integer not null check (number > 0),
      size bigint not null,
      etag text not null,
      crc32 bigint not null,
      primary key (file_id, number)
    )`.execute(db)
  await sql`
    create table setting (
      key text primary key,
      value jsonb not null,
      updated_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create table rate_limit (
      key text primary key,
      points integer not null default 0,
      expire bigint
    )`.execute(db)
  await sql`
    create table deleted_object (
      key text primary key,
      upload_id text,
      deleted_at timestamptz not null default now()
    )`.execute(db)
  // Triggers schedule a deleted row's object for removal, even after a cascade.
  await sql`
    create function file_deleted() returns trigger language plpgsql as $$
    begin
      insert into deleted_object (key, upload_id) values (old.object_key, old.upload_id) on conflict (key) do nothing;
      return null;
    end $$`.execute(db)
  await sql`create trigger file_deleted after delete on file for each row execute function file_deleted()`.execute(db)
  await sql`
    create function share_deleted() returns trigger language plpgsql as $$
    begin
      if old.zip_state <> 'none' then
        insert into deleted_object (key) values ('zips/' || old.uid || '/' || old.revision) on conflict (key) do nothing;
      end if;
      return null;
    end $$`.execute(db)
  await sql`create trigger share_deleted after delete on share for each row execute function share_deleted()`.execute(db)
}
