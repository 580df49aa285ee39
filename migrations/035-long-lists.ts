import { type Kysely, sql } from 'kysely'

/**
 * With more shares than this, the index for the search is not built here. It takes about a second,
 * in which nothing can be written to the table, because a migration can't build it concurrently.
 */
const searchableMax = 50_000

/**
 * Adds indexes for the list of all shares, its search and the clean-up, which otherwise read all of
 * them. The search has none if the role may not create the extension pg_trgm, PostgreSQL lacks it,
 * or there are more than 50,000 shares. An administrator can add it: see docs/scaling.md.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index share_created on share (created_at desc, id)`.execute(db)
  await sql`create index share_title on share (lower(coalesce(name, id)), created_at desc, id)`.execute(db)
  await sql`create index share_size on share (size, created_at desc, id)`.execute(db)
  await sql`
    create index share_not_reopened on share (expires_at)
      where deleted_at is not null or completed_at is null or (owner_id is null and receiver_id is null)`.execute(db)
  if (await hasMoreShares(db)) return
  await sql`
    do $$ begin
      create extension if not exists pg_trgm;
      create index share_search on share using gin (id gin_trgm_ops, name gin_trgm_ops, description gin_trgm_ops);
    exception when insufficient_privilege or undefined_file or undefined_object or feature_not_supported then
      raise notice 'searching all shares has no index without the extension pg_trgm';
    end $$`.execute(db)
}

async function hasMoreShares(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`select id from share offset ${searchableMax} limit 1`.execute(db)
  return rows.length > 0
}
