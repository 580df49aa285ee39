import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { UploadLinkEvent, VisitEvent } from './queries.ts'

/** Selects shares whose senders want an email about the next download. */
export const isReported = sql`(share.owner_id is not null and share.receiver_id is null
  and (share.notify = 'every' or (share.notify = 'first' and share.notified_until is null)))`

/** Records handed-out files for the emails to senders, also if the activity is turned off. */
export async function recordHandOvers(db: Db, events: readonly (VisitEvent | UploadLinkEvent)[]): Promise<void> {
  const handOvers = events.filter((event) => event.kind === 'handed-out' && event.item !== undefined)
  if (handOvers.length === 0) return
  await sql`
    insert into download_notice (share_uid, item, file, is_handed_out)
    select distinct on (share.uid, 2) share.uid, case when sent."isZip" then '' else sent.item end, sent.file, true
    from jsonb_to_recordset(${JSON.stringify(handOvers)}::jsonb) as sent("shareUid" uuid, item text, "isZip" boolean, file text)
    join share on share.uid = sent."shareUid"
    where ${isReported} order by 1, 2
    on conflict do nothing`.execute(db)
}
