import { type Kysely, sql } from 'kysely'

/**
 * Adds the activity of upload links to that of shares: an entry belongs to a share or to a reverse
 * share. `share_id` is the id that a received share had. Adds also whether a reverse share is turned
 * on, and how many bytes all shares received through it may have. A version without them opens links
 * that are turned off. The constraints are not checked against the rows of a large table while it is
 * locked: all of them have a share.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table activity
      alter column share_uid drop not null,
      add column reverse_share_id uuid references reverse_share on delete cascade,
      add column share_id text,
      add column files integer,
      add column sender_name text,
      add column sender_email text,
      drop constraint activity_kind_check,
      add constraint activity_kind_check
        check (kind in ('opened', 'downloaded', 'partly', 'refused', 'handed-out', 'begun', 'received')) not valid,
      add constraint activity_subject_check check (num_nonnulls(share_uid, reverse_share_id) = 1) not valid`.execute(db)
  await sql`
    create index activity_reverse_share on activity (reverse_share_id, at desc, id desc) where reverse_share_id is not null`.execute(db)
  await sql`
    alter table reverse_share
      add column enabled boolean not null default true,
      add column max_total_size bigint check (max_total_size > 0)`.execute(db)
}
