import { type Selectable, sql } from 'kysely'
import type { Db, ShareLinkTable } from '../../db/schema.ts'

/** Former links of a share, or of a reverse share, that stay reserved at most. */
export const retiredMax = 1_000

/**
 * Reserves the id of a link that is about to be replaced or deleted, as long as its share exists. Of
 * more than 1,000 ids of a share, the oldest become free. Call it in a transaction that has locked
 * the share.
 */
export async function retireLink(db: Db, { uid, shareId }: Pick<Selectable<ShareLinkTable>, 'uid' | 'shareId'>): Promise<void> {
  await sql`
    insert into retired_link (id, share_id, link_uid)
    select id, share_id, uid from share_link where uid = ${uid}
    on conflict (id) do update set share_id = excluded.share_id, link_uid = excluded.link_uid, retired_at = now()`.execute(db)
  await sql`
    delete from retired_link where id in (
      select id from retired_link where share_id = ${shareId} order by retired_at desc, id offset ${retiredMax})`.execute(db)
}

/** Ends the reservation of a link, because the same share uses its id again. */
export async function reuseLink(db: Db, id: string): Promise<void> {
  await sql`delete from retired_link where lower(id) = lower(${id})`.execute(db)
}
