import { type Kysely, sql } from 'kysely'

/**
 * Adds the addresses that imported shares, files and reverse shares had in the product they came
 * from.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table old_link (
      address text primary key,
      share_id text references share on update cascade on delete cascade,
      file_id uuid references file on delete cascade,
      reverse_share_id uuid references reverse_share on delete cascade,
      check ((share_id is null) <> (reverse_share_id is null))
    )`.execute(db)
  await sql`create index old_link_share on old_link (share_id) where share_id is not null`.execute(db)
  await sql`create index old_link_file on old_link (file_id) where file_id is not null`.execute(db)
  await sql`create index old_link_reverse on old_link (reverse_share_id) where reverse_share_id is not null`.execute(db)
}
