import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { isOver } from '../shares/deletion/queries.ts'
import { retiredMax } from '../shares/links/retired.ts'

/** Selects a token that a reverse share, except `ownId`, had before it was replaced. */
export function retiredTokens(db: Db, token: string, now: Date, ownId?: string) {
  const existing = db
    .selectFrom('reverseShare')
    .select('id')
    .where((eb) => eb.not(isOver(now)))
  return db
    .selectFrom('retiredUploadLink')
    .select('token')
    .where(sql<boolean>`lower(token) = lower(${token})`)
    .where('reverseShareId', 'in', existing)
    .where(sql<boolean>`reverse_share_id is distinct from ${ownId ?? null}::uuid`)
}

/**
 * Reserves the token of a reverse share that is about to be replaced. Of more than 1,000 the oldest
 * become free. Call it in a transaction that has locked the reverse share.
 */
export async function retireToken(tx: Db, id: string): Promise<void> {
  await sql`
    insert into retired_upload_link (token, reverse_share_id) select token, id from reverse_share where id = ${id}
    on conflict (token) do update set reverse_share_id = excluded.reverse_share_id, retired_at = now()`.execute(tx)
  await sql`
    delete from retired_upload_link where token in (
      select token from retired_upload_link where reverse_share_id = ${id} order by retired_at desc, token offset ${retiredMax})`.execute(
    tx,
  )
}
