import { type Kysely, sql } from 'kysely'

/**
 * Adds links that belong to one recipient, and what each recipient has opened and downloaded. `item`
 * is the id of a file, or '' for a zip and for all files; then `revision` is that of the share, and
 * null for a part of it. `published_revision` is the first revision with a file; null for older files,
 * which all later ones have. `verify_email` lets only the recipient open the link, and
 * `verify_recipients` is its value for new links. `everyone_notified_at` is when the sender got the
 * email that all recipients have everything. A version without these sends recipients the first link.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table share
      add column verify_recipients boolean not null default false,
      add column everyone_notified_at timestamptz`.execute(db)
  await sql`alter table file add column published_revision bigint`.execute(db)
  await sql`alter table share_recipient add column opened_at timestamptz`.execute(db)
  await sql`
    alter table share_link
      add column recipient_id uuid unique references share_recipient on delete cascade,
      add column verify_email boolean not null default false`.execute(db)
  await sql`
    create table recipient_download (
      recipient_id uuid not null references share_recipient on delete cascade,
      item text not null,
      is_handed_out boolean not null,
      revision bigint,
      at timestamptz not null,
      primary key (recipient_id, item, is_handed_out)
    )`.execute(db)
}
