import { type Kysely, sql } from 'kysely'

/**
 * Adds what was downloaded and by which visitor. `download` has the ranges that were sent of one
 * file or zip to one visitor; a complete one is never resumed. `activity` has what the owner sees.
 * `bytes_sent` includes what was sent again. `network` names the visitor's address.
 * `link_uid` is the uid of the share for its first link. `ranges` needs PostgreSQL 14.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table download (
      id bigserial primary key,
      share_uid uuid not null references share (uid) on delete cascade,
      link_uid uuid not null,
      visitor text not null,
      network text not null,
      item text not null,
      is_zip boolean not null,
      size bigint not null check (size >= 0),
      ranges int8multirange not null default '{}',
      bytes_sent bigint not null default 0,
      uses_limit boolean not null default false,
      started_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      complete_at timestamptz
    )`.execute(db)
  await sql`create unique index download_open on download (share_uid, link_uid, visitor, item) where complete_at is null`.execute(db)
  await sql`create index download_visitor on download (share_uid, link_uid, visitor)`.execute(db)
  await sql`create index download_share on download (share_uid, updated_at desc)`.execute(db)
  await sql`create index download_age on download (updated_at)`.execute(db)
  await sql`
    create table activity (
      id bigserial primary key,
      share_uid uuid not null references share (uid) on delete cascade,
      link text not null,
      at timestamptz not null,
      kind text not null check (kind in ('opened', 'downloaded', 'partly', 'refused', 'handed-out')),
      visitor text not null,
      network text not null,
      file text,
      is_zip boolean not null default false,
      bytes bigint,
      size bigint,
      complete boolean not null default false,
      reason text,
      device text,
      address text,
      download_id bigint unique references download on delete set null
    )`.execute(db)
  await sql`create index activity_share on activity (share_uid, at desc, id desc)`.execute(db)
  await sql`create index activity_age on activity (at)`.execute(db)
}
