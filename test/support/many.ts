import type pg from 'pg'

/**
 * Creates a user's shares `s00001`…, named `Trip 00001`…, each a minute older than the one before
 * and with two files.
 */
export async function manyShares(client: pg.Client, owner: string, count: number): Promise<void> {
  await client.query(
    `insert into share (id, owner_id, name, description, size, views, created_at, completed_at, published_at, upload_open, revision)
    select 's' || lpad(n::text, 5, '0'), "user".id, 'Trip ' || lpad(n::text, 5, '0'), 'What was seen on the way, day ' || n, n * 1000, n % 97,
      now() - n * interval '1 minute', now(), now(), false, 1
    from generate_series(1, $2::integer) n, "user" where username = $1`,
    [owner, count],
  )
  await client.query(`insert into file (share_id, name, size, object_key, part_size, part_count, published, completed_at, crc32)
    select share.id, n || '.jpg', 500 * n, 'shares/' || share.uid || '/' || gen_random_uuid(), 8388608, 1, true, now(), 1
    from share, generate_series(1, 2) n where share.id ~ '^s[0-9]{5}$'`)
}

/**
 * Creates a user's share of `count` files, spread over `folders` folders. With 0, all files are at
 * the top level.
 */
export async function manyFiles(client: pg.Client, owner: string, id: string, count: number, folders = 0): Promise<void> {
  await client.query(
    `insert into share (id, owner_id, name, size, completed_at, published_at, upload_open, revision)
    select $2::text, "user".id, 'The share ' || $2, 0, now(), now(), false, 1 from "user" where username = $1`,
    [owner, id],
  )
  await client.query(
    `insert into file (share_id, name, size, object_key, part_size, part_count, published, completed_at, crc32)
    select share.id, case when $3 = 0 then '' else 'Folder ' || (n % $3 + 1) || '/' end || 'photo ' || n || ' of the island.jpg',
      n * 7919 % 100000, 'shares/' || share.uid || '/' || gen_random_uuid(), 8388608, 1, true, now(), 1
    from share, generate_series(1, $2::integer) n where share.id = $1`,
    [id, count, folders],
  )
}

/** Creates users `user-00001`…, each with an address at example.org. */
export async function manyUsers(client: pg.Client, count: number): Promise<void> {
  await client.query(
    `insert into "user" (username, username_key, email, email_key)
    select name, name, name || '@example.org', name || '@example.org'
    from (select 'user.' || lpad(n::text, 5, '0') as name from generate_series(1, $1::integer) n) names`,
    [count],
  )
}

/**
 * Creates a user's reverse shares `r00001`…, the newest first, and `received` shares through each,
 * of two files.
 */
export async function manyReverseShares(client: pg.Client, owner: string, count: number, received = 1): Promise<void> {
  await client.query(
    `insert into reverse_share (token, owner_id, name, max_size, max_uses, uses, created_at)
    select 'r' || lpad(n::text, 5, '0'), "user".id, 'Request ' || lpad(n::text, 5, '0'), 1000000000, 1000, $3, now() - n * interval '1 minute'
    from generate_series(1, $2::integer) n, "user" where username = $1`,
    [owner, count, received],
  )
  await client.query(
    `insert into share (id, reverse_share_id, receiver_id, sender_name, size, completed_at, published_at, upload_open, revision)
    select token || '-' || lpad(n::text, 5, '0'), reverse_share.id, owner_id, 'Sender ' || n, 1500, now() - n * interval '1 minute', now(), false, 1
    from reverse_share join "user" on "user".id = owner_id, generate_series(1, $2::integer) n where username = $1`,
    [owner, received],
  )
  await client.query(`insert into file (share_id, name, size, object_key, part_size, part_count, published, completed_at, crc32)
    select share.id, 'sent ' || n || '.jpg', 500 * n, 'shares/' || share.uid || '/' || gen_random_uuid(), 8388608, 1, true, now(), 1
    from share, generate_series(1, 2) n where reverse_share_id is not null`)
}
