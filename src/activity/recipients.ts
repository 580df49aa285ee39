import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { downloadsOf, hasFetchedAll, publishedFiles } from './fetched.ts'
import type { UploadLinkEvent, VisitEvent } from './queries.ts'

/** What changes if a recipient downloads a file or a zip again. */
export const laterDownload = sql`at = excluded.at, revision = greatest(recipient_download.revision, excluded.revision)`

/** Records which recipients have opened their links, and what was handed out to them. */
export async function recordRecipients(db: Db, events: readonly (VisitEvent | UploadLinkEvent)[]): Promise<void> {
  const shown = events.filter((event) => 'shareUid' in event && (event.kind === 'opened' || event.kind === 'handed-out'))
  if (shown.length === 0) return
  await sql`
    with sent as (
      select share_link.recipient_id, sent.*
      from jsonb_to_recordset(${JSON.stringify(shown)}::jsonb) as sent("linkUid" uuid, at timestamptz, kind text, item text, "isZip" boolean,
        revision bigint)
      join share_link on share_link.uid = sent."linkUid"
      where share_link.recipient_id is not null
    ), opened as (
      update share_recipient set opened_at = first_visit.at
      from (select recipient_id, min(at) as at from sent where kind = 'opened' group by 1) first_visit
      where share_recipient.id = first_visit.recipient_id and share_recipient.opened_at is null
    )
    insert into recipient_download (recipient_id, item, is_handed_out, revision, at)
    select recipient_id, case when "isZip" then '' else item end, true, max(revision), max(at)
    from sent where kind = 'handed-out' and item is not null
    group by 1, 2
    on conflict (recipient_id, item, is_handed_out) do update set ${laterDownload}`.execute(db)
}

/**
 * Replaces the downloaded files of those recipients of these links who now have all of them by one
 * row, like that of a zip, so that their files are not compared again.
 */
export async function foldDownloads(db: Db, linkUids: readonly string[]): Promise<void> {
  await sql`
    with complete as (
      select share_recipient.id, share.revision, got.downloaded_at
      from share_link
      join share_recipient on share_recipient.id = share_link.recipient_id
      join share on share.id = share_recipient.share_id,
        ${publishedFiles} files, ${downloadsOf('complete')} got
      where share_link.uid = any(${linkUids}::uuid[]) and share.kind <> 'text' and got.items > 0 and ${hasFetchedAll('complete')}
    ), folded as (
      delete from recipient_download using complete where recipient_id = complete.id and item <> '' and not is_handed_out
    )
    insert into recipient_download (recipient_id, item, is_handed_out, revision, at)
    select id, '', false, revision, downloaded_at from complete
    on conflict (recipient_id, item, is_handed_out) do update set ${laterDownload}`.execute(db)
}
