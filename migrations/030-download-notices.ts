import { type Kysely, sql } from 'kysely'

/**
 * Adds to shares whether the sender gets emails about downloads, and when they got the last one.
 * `download_notice` has what the next one reports: files, and '' for all as a zip. The constraint is
 * not checked against the rows of a large table while it is locked: there it is the default.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table share
      add column notify text not null default 'none',
      add column notified_until timestamptz,
      add constraint share_notify_check check (notify in ('none', 'first', 'every')) not valid`.execute(db)
  await sql`create index share_notified on share (uid) where notify <> 'none'`.execute(db)
  await sql`
    create table download_notice (
      share_uid uuid not null references share (uid) on delete cascade,
      item text not null,
      file text,
      is_handed_out boolean not null,
      primary key (share_uid, item, is_handed_out)
    )`.execute(db)
}
