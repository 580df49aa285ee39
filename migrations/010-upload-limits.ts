import { type Kysely, sql } from 'kysely'

/**
 * Adds limits on files per share and on open uploads. `reserved_files` counts files while a share
 * accepts uploads. `opened_from` is the address (for IPv6 the /64) of a caller without an account;
 * it is cleared when the share is completed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table share add column reserved_files integer not null default 0, add column opened_from text`.execute(db)
  await sql`
    update share set reserved_files = (select count(*) from file where file.share_id = share.id and file.removed_at is null)
    where upload_open`.execute(db)
  await sql`create index share_open_of_owner on share (owner_id) where upload_open`.execute(db)
  await sql`create index share_open_of_address on share (opened_from) where upload_open and opened_from is not null`.execute(db)
}
