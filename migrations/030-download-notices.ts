import { type Kysely, sql } from 'kysely'

/**
 * Adds to shares whether the sender gets emails about downloads, and until when downloads are
 * reported. The constraint is not checked against the rows of a large table while it is locked: there
 * it is the default.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table share
      add column notify text not null default 'none',
      add column notified_until timestamptz,
      add constraint share_notify_check check (notify in ('none', 'first', 'every')) not valid`.execute(db)
  await sql`create index share_notified on share (uid) where notify <> 'none'`.execute(db)
}
