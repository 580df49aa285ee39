import type pg from 'pg'

/** How many rows a filled database has. */
export interface Rows {
  users: number
  shares: number
  /** Files of each share. */
  files: number
  /** Shares and reverse shares of the user with the most. */
  most: number
}

/** Words that titles are made of, so that searches find few or many of them. */
const words = 'Iceland,Norway,Lisbon,garden,wedding,invoice,report,puffin,harbour,concert,minutes,drawing,summer,winter,school,museum'

/**
 * Fills an empty database, where `owner` is the first user and gets the most shares. The connection
 * must be a superuser's, because neither foreign keys nor triggers are checked. The rows are made by
 * the database itself, which is faster than sending them.
 */
export async function fillDatabase(client: pg.Client, owner: string, { users, shares, files, most }: Rows): Promise<void> {
  await client.query('set session_replication_role = replica')
  await client.query('set synchronous_commit = off')
  await client.query(`set maintenance_work_mem = '512MB'`)
  await client.query(
    `insert into "user" (username, username_key, email, email_key, created_at)
    select name, name, name || '@example.org', name || '@example.org', now() - n * interval '1 minute'
    from (select n, 'user.' || lpad(n::text, 6, '0') as name from generate_series(1, $1::integer) n) names`,
    [users - 1],
  )
  await client.query(
    'create temporary table owner as select row_number() over (order by username = $1 desc, id) - 1 as place, id from "user"',
    [owner],
  )
  await client.query('create unique index on owner (place)')
  await client.query('analyze owner')
  const batch = Math.max(1, Math.min(20_000, shares))
  for (let first = 0; first < shares; first += batch) {
    const last = Math.min(shares, first + batch) - 1
    await client.query(
      `insert into share (id, owner_id, name, description, size, views, max_views, expires_at, created_at, active_at, completed_at, published_at,
        upload_open, revision, previewed_revision)
      select 'scale-' || lpad(n::text, 8, '0'), owner.id, initcap(word[1 + n % 16]) || ' ' || word[1 + n / 16 % 16] || ' ' || n,
        'What was seen at the ' || word[1 + n / 256 % 16], n * 7919::bigint % 100000000, n % 997, case when n % 10 = 0 then 1000 end,
        case when n % 5 > 0 then now() + n * 7919::bigint % 8640 * interval '1 hour' + interval '1 day' end,
        now() - n * interval '1 minute', now(), now(), now(), false, 1, 1
      from generate_series($1::integer, $2::integer) n
        join owner on owner.place = case when n % $3 = 0 and n / $3 < $4 then 0 else 1 + n::bigint * 7919 % $5 end,
        string_to_array('${words}', ',') word`,
      [first, last, Math.max(1, Math.floor(shares / most)), most, users - 1],
    )
    await client.query(
      `insert into file (share_id, name, size, object_key, part_size, part_count, published, completed_at, crc32)
      select share.id, 'folder/photo ' || f || '.jpg', f * 1000, 'shares/' || share.uid || '/' || gen_random_uuid(), 8388608, 1, true, now(), 1
      from generate_series($1::integer, $2::integer) n join share on share.id = 'scale-' || lpad(n::text, 8, '0'), generate_series(1, $3::integer) f`,
      [first, last, files],
    )
  }
  await client.query(
    `insert into reverse_share (token, owner_id, name, max_size, max_uses, created_at)
    select 'reverse-' || lpad(n::text, 8, '0'), owner.id, 'Request ' || n, 1000000000, 1000, now() - n * interval '1 minute'
    from generate_series(0, $1::integer) n join owner on owner.place = case when n < $2 then 0 else n::bigint * 7919 % $3 end`,
    [most + users, most, users],
  )
  await client.query('set session_replication_role = origin')
  await client.query('vacuum analyze')
}
