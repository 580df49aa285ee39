import { type Kysely, sql } from 'kysely'

/**
 * Adds further links of a share, each with its own rules, and limits of downloads. The first link of
 * a share is the share itself. `download_leases` has the transfers that run under a limit, each with
 * its visitor and the end of its lease. A version without links can't open further links, and opens
 * the first one even if it is turned off. The constraint is not checked against the rows of a large
 * table while it is locked: there it is null.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table share
      add column link_label text,
      add column link_enabled boolean not null default true,
      add column max_downloads integer,
      add column downloads integer not null default 0,
      add column download_leases jsonb not null default '{}',
      add column delete_after_downloads boolean not null default false,
      add constraint share_max_downloads_check check (max_downloads > 0) not valid`.execute(db)
  await sql`create index share_to_delete on share (uid) where delete_after_downloads`.execute(db)
  await sql`
    create table share_link (
      id text primary key check (id ~ '^[A-Za-z0-9_-]{3,50}$'),
      uid uuid not null unique default gen_random_uuid(),
      share_id text not null references share on update cascade on delete cascade,
      label text,
      password_hash text,
      password_version integer not null default 0,
      expires_at timestamptz,
      max_views integer check (max_views > 0),
      views integer not null default 0,
      max_downloads integer check (max_downloads > 0),
      downloads integer not null default 0,
      download_leases jsonb not null default '{}',
      enabled boolean not null default true,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index share_link_share on share_link (share_id, created_at)`.execute(db)
  await sql`create index share_link_id_lower on share_link (lower(id))`.execute(db)
}
