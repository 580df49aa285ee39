import { type Kysely, sql } from 'kysely'

/**
 * Adds to shares whether the sender gets emails about downloads, and until when downloads are
 * reported.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table share
      add column notify text not null default 'none' check (notify in ('none', 'first', 'every')),
      add column notified_until timestamptz`.execute(db)
  await sql`create index share_notified on share (uid) where notify <> 'none'`.execute(db)
}
