import { type Kysely, sql } from 'kysely'

/**
 * Adds the ids of links that were replaced or deleted. They stay reserved as long as their share or
 * upload link exists, so that no one else can put something where an old link leads. `link_uid` is
 * the uid that the link had or still has. A version without these tables frees the ids at once.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table retired_link (
      id text primary key,
      share_id text not null references share on update cascade on delete cascade,
      link_uid uuid not null,
      retired_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index retired_link_id_lower on retired_link (lower(id))`.execute(db)
  await sql`create index retired_link_share on retired_link (share_id, retired_at)`.execute(db)
  await sql`
    create table retired_upload_link (
      token text primary key,
      reverse_share_id uuid not null references reverse_share on delete cascade,
      retired_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index retired_upload_link_token_lower on retired_upload_link (lower(token))`.execute(db)
  await sql`create index retired_upload_link_reverse_share on retired_upload_link (reverse_share_id, retired_at)`.execute(db)
}
