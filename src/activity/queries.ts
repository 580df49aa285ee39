import { type ExpressionBuilder, sql } from 'kysely'
import type { Database, Db } from '../db/schema.ts'
import { mergedRanges, type SubjectColumn, unfinishedOf, withinBudget } from './budgets.ts'
import { isReported } from './notices.ts'
import { laterDownload } from './recipients.ts'

/** Entries of a table of the newest activity. */
export const csvRows = 10_000

/** Who did something through which link. */
interface LinkVisit {
  linkUid: string
  visitor: string
  /** A name of the visitor's address, which differs between links. */
  network: string
  at: Date
  device: string | null
  address: string | null
}

/** Who did something through which link of a share. */
export interface Visit extends LinkVisit {
  shareUid: string
  /** The id that the link has now. */
  link: string
}

/** A range of a file or zip that was sent to a visitor. */
export interface SentRange extends Visit {
  /** The id of the file, or the validator of the zip. */
  item: string
  isZip: boolean
  /** The name of the file; null for a zip. */
  file: string | null
  size: number
  /** The revision of the share whose files a zip all contains. */
  revision?: number | undefined
  start: number
  /** The position after the last byte that was sent. */
  end: number
  /** Whether a complete download is counted; false under a limit, which counts it itself. */
  counts: boolean
}

/** An event that is recorded once. */
export interface VisitEvent extends Visit {
  kind: 'opened' | 'refused' | 'handed-out'
  /** What was handed out: the id of the file, or the validator of the zip. */
  item?: string
  file?: string | null
  isZip?: boolean
  size?: number
  /** The revision of the share whose files a zip all contains. */
  revision?: number | undefined
  /** The code of the error. */
  reason?: string
}

/** An event of an upload link that is recorded once. */
export interface UploadLinkEvent extends LinkVisit {
  reverseShareId: string
  kind: 'opened' | 'refused' | 'begun' | 'received'
  /** The id of the share that is sent. */
  shareId?: string
  senderName?: string | null
  senderEmail?: string | null
  files?: number
  bytes?: number
  /** The code of the error, or why the link is closed. */
  reason?: string
}

export interface RecordedDownload {
  /** null: it was sent whole without a limit, and has no row. */
  id: number | null
  complete: boolean
  /** Whether something of it was not kept, because too much was sent. */
  isDropped: boolean
}

/**
 * Records ranges in one statement: joins them with those sent before to the same visitor, counts
 * what is complete, and updates the activity and what recipients have downloaded if `activity`. What
 * was sent whole needs no row, unless it is limited or was begun before. Ranges of deleted shares are
 * ignored. The shares are locked in order, so that the batches of two replicas don't wait for each
 * other.
 */
export async function recordRanges(db: Db, ranges: readonly SentRange[], activity: boolean): Promise<RecordedDownload[]> {
  const { rows } = await sql<RecordedDownload>`
    with locked as (
      select uid from share where uid = any(${ranges.map(({ shareUid }) => shareUid)}::uuid[]) order by uid for no key update
    ), incoming as (
      select "shareUid" as share_uid, "linkUid" as link_uid, sent.visitor, sent.item, bool_and("isZip") as is_zip, max(sent.size) as size,
        max(sent.network) as network,
        range_agg(int8range(sent.start, sent."end")) as ranges, min(sent.at) as first_at, max(sent.at) as at, bool_and(sent.counts) as counts,
        sum(sent."end" - sent.start) as bytes_sent,
        range_agg(int8range(sent.start, sent."end")) @> int8range(0, max(sent.size)) as is_whole,
        max(sent.link) as link, max(sent.file) as file, max(sent.revision) as revision, max(sent.device) as device, max(sent.address) as address
      from jsonb_to_recordset(${JSON.stringify(ranges)}::jsonb) as sent("shareUid" uuid, "linkUid" uuid, link text, visitor text, network text, item text,
        "isZip" boolean, file text, size bigint, revision bigint, start bigint, "end" bigint, at timestamptz, counts boolean, device text, address text)
      join locked on locked.uid = sent."shareUid"
      group by 1, 2, 3, 4
    ), finished as (
      update download set ranges = download.ranges + incoming.ranges, bytes_sent = download.bytes_sent + incoming.bytes_sent,
        updated_at = incoming.at, complete_at = incoming.at
      from incoming
      where is_whole and download.complete_at is null and (download.share_uid, download.link_uid, download.visitor, download.item)
        = (incoming.share_uid, incoming.link_uid, incoming.visitor, incoming.item)
      returning download.*
    ), ${unfinishedOf('incoming')}, merged as (
      insert into download (share_uid, link_uid, visitor, network, item, is_zip, size, ranges, bytes_sent, started_at, updated_at, complete_at)
      select share_uid, link_uid, visitor, network, item, is_zip, size, ranges, bytes_sent, first_at, at, case when is_whole then at end
      from incoming where case
        when counts then not is_whole and (share_uid, link_uid, visitor, item) in (select share_uid, link_uid, visitor, item from unfinished)
        else (share_uid, link_uid, visitor, item) not in (select share_uid, link_uid, visitor, item from finished) end
      on conflict (share_uid, link_uid, visitor, item) where complete_at is null do update set
        ranges = ${mergedRanges},
        bytes_sent = download.bytes_sent + excluded.bytes_sent,
        updated_at = excluded.updated_at,
        complete_at = case when ${mergedRanges} @> int8range(0, download.size) then excluded.updated_at end
      returning *
    ), recorded as (
      select merged.id, merged.complete_at is not null as complete, merged.ranges as all_ranges, incoming.*
      from (select * from merged union all select * from finished) merged join incoming using (share_uid, link_uid, visitor, item)
      union all select null, true, ranges, incoming.* from incoming
      where counts and is_whole and (share_uid, link_uid, visitor, item) not in (select share_uid, link_uid, visitor, item from finished)
    ), complete as (
      select link_uid, count(*) as downloads from recorded where complete and counts group by 1
    ), counted_first as (
      update share set downloads = least(share.downloads + complete.downloads, 2147483647)::integer
      from complete where share.uid = complete.link_uid
    ), counted_further as (
      update share_link set downloads = least(share_link.downloads + complete.downloads, 2147483647)::integer
      from complete where share_link.uid = complete.link_uid
    ), noticed as (
      insert into download_notice (share_uid, item, file, is_handed_out)
      select distinct on (share_uid, 2) share_uid, case when recorded.is_zip then '' else item end, file, false
      from recorded join share on share.uid = share_uid
      where complete and ${isReported} order by 1, 2
      on conflict do nothing
    ), fetched as (
      insert into recipient_download (recipient_id, item, is_handed_out, revision, at)
      select share_link.recipient_id, case when recorded.is_zip then '' else item end, false, max(revision), max(at)
      from recorded join share_link on share_link.uid = link_uid
      where complete and share_link.recipient_id is not null and ${activity}::boolean
      group by 1, 2
      on conflict (recipient_id, item, is_handed_out) do update set ${laterDownload}
    ), entries as (
      select recorded.*, case when complete then 'downloaded' else 'partly' end as kind,
        exists(select from activity where download_id = recorded.id) as is_known
      from recorded where ${activity}::boolean
    ), ${withinBudget('entries')}, shown as (
      insert into activity (share_uid, link, at, kind, visitor, network, file, is_zip, bytes, size, complete, device, address, download_id)
      select share_uid, link, at, kind, visitor, network, file, is_zip,
        (select coalesce(sum(upper(part) - lower(part)), 0) from unnest(all_ranges) as part), size, complete, device, address, id
      from within_budget
      on conflict (download_id) do update set
        at = excluded.at, kind = excluded.kind, bytes = excluded.bytes, complete = excluded.complete
    )
    select recorded.id, coalesce(recorded.complete, false) as complete,
      recorded.item is null or not recorded.all_ranges @> incoming.ranges or (${activity}::boolean and within_budget.item is null) as is_dropped
    from incoming
    left join recorded using (share_uid, link_uid, visitor, item)
    left join within_budget using (share_uid, link_uid, visitor, item)`.execute(db)
  return rows
}

/**
 * Records events in one statement. Of the same events of one address within a minute, only the first
 * is kept. Files that are handed out are told apart by visitor, and uploads by their share. Events of
 * deleted shares and upload links are ignored. Returns how many were not kept because a share or a
 * link has too many.
 */
export async function recordEvents(db: Db, events: readonly (VisitEvent | UploadLinkEvent)[]): Promise<number> {
  const ofLinks = events.filter((event) => 'reverseShareId' in event)
  const ofShares = events.filter((event) => !('reverseShareId' in event))
  return (await recordEventsOf(db, 'share_uid', ofShares)) + (await recordEventsOf(db, 'reverse_share_id', ofLinks))
}

/** Where the subject of an event is, and the id of the link now. */
const subjects = {
  share_uid: { joined: sql`join share on share.uid = sent."shareUid"`, id: sql`share.uid`, link: sql`sent.link` },
  reverse_share_id: {
    joined: sql`join reverse_share on reverse_share.id = sent."reverseShareId"`,
    id: sql`reverse_share.id`,
    link: sql`reverse_share.token`,
  },
}

async function recordEventsOf(db: Db, column: SubjectColumn, events: readonly (VisitEvent | UploadLinkEvent)[]): Promise<number> {
  if (events.length === 0) return 0
  const { joined, id, link } = subjects[column]
  const subject = sql.ref(column)
  const { rows } = await sql<{ dropped: number }>`
    with sent as (
      select sent.*, ${id} as ${subject}, ${link} as link_id,
        case when sent.kind = 'handed-out' then sent.visitor else coalesce(sent."shareId", sent.network) end as sender
      from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as sent("shareUid" uuid, "reverseShareId" uuid, link text, at timestamptz,
        kind text, visitor text, network text, file text, "isZip" boolean, size bigint, reason text, device text, address text,
        "shareId" text, files integer, bytes bigint, "senderName" text, "senderEmail" text)
      ${joined}
    ), entries as (
      select distinct on (${subject}, link_id, kind, sender, file, reason) *, false as is_known
      from sent
      where not exists (
        select from activity known
        where known.${subject} = sent.${subject} and known.at > sent.at - interval '1 minute' and known.link = link_id
          and known.kind = sent.kind
          and case when known.kind = 'handed-out' then known.visitor else coalesce(known.share_id, known.network) end = sender
          and known.file is not distinct from sent.file and known.reason is not distinct from sent.reason)
      order by ${subject}, link_id, kind, sender, file, reason, at
    ), ${withinBudget('entries', column)}, shown as (
      insert into activity (${subject}, link, at, kind, visitor, network, file, is_zip, size, reason, device, address,
        share_id, files, bytes, sender_name, sender_email)
      select ${subject}, link_id, at, kind, visitor, network, file, coalesce("isZip", false), size, reason, device, address,
        "shareId", files, bytes, "senderName", "senderEmail"
      from within_budget
    )
    select ((select count(*) from entries) - (select count(*) from within_budget))::integer as dropped`.execute(db)
  return rows[0]?.dropped ?? 0
}

/** What activity belongs to: a share or an upload link. */
type Subject = { shareUid: string } | { reverseShareId: string }

function belongsTo(subject: Subject) {
  return (eb: ExpressionBuilder<Database, 'activity'>) =>
    'shareUid' in subject ? eb('shareUid', '=', subject.shareUid) : eb('reverseShareId', '=', subject.reverseShareId)
}

/** Returns what happened through the links of a share, or through an upload link, the newest first. */
export function activityOf(db: Db, subject: Subject, { limit, offset }: { limit: number; offset: number }) {
  return db
    .selectFrom('activity')
    .select(['link', 'at', 'kind', 'visitor', 'file', 'isZip', 'bytes', 'size', 'complete', 'reason', 'device', 'address'])
    .select(['shareId', 'files', 'senderName', 'senderEmail', currentLink.as('currentLink'), (eb) => recipientOf(eb).as('recipient')])
    .where(belongsTo(subject))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}

/**
 * Selects the id that the replaced link of an entry has now; null if it was not replaced, or was
 * deleted. The id may have become a link of another share since then.
 */
const currentLink = sql<string | null>`(
  select share_link.id
  from retired_link join share_link on share_link.uid = retired_link.link_uid join share on share.id = share_link.share_id
  where retired_link.id = activity.link and share.uid = activity.share_uid)`

/**
 * Selects the email address of the recipient that the link of an entry belongs to, also if it was
 * replaced.
 */
function recipientOf(eb: ExpressionBuilder<Database, 'activity'>) {
  return eb
    .selectFrom('shareLink')
    .innerJoin('shareRecipient', 'shareRecipient.id', 'shareLink.recipientId')
    .innerJoin('share', 'share.id', 'shareLink.shareId')
    .select('shareRecipient.email')
    .where('shareLink.id', '=', sql<string>`coalesce(${currentLink}, activity.link)`)
    .whereRef('share.uid', '=', 'activity.shareUid')
}

export type ActivityEntry = Awaited<ReturnType<typeof activityOf>>[number]

type Counts = Partial<Record<ActivityEntry['kind'], number>>

/** Counts what happened through the links of a share, or through an upload link, by kind. */
export async function activityCounts(db: Db, subject: Subject): Promise<Counts> {
  const counts = await db
    .selectFrom('activity')
    .select(['kind', (eb) => eb.fn.countAll<number>().as('count')])
    .where(belongsTo(subject))
    .groupBy('kind')
    .execute()
  return Object.fromEntries(counts.map(({ kind, count }) => [kind, count]))
}

/**
 * Counts what happened by kind, from each of these times to the next one. The times ascend, and the
 * counts have their order.
 */
export async function activityCountsSince(db: Db, subject: Subject, starts: readonly Date[]): Promise<Counts[]> {
  const period = sql<number>`width_bucket(at, ${starts}::timestamptz[])`
  const rows = await db
    .selectFrom('activity')
    .select(['kind', period.as('period'), (eb) => eb.fn.countAll<number>().as('count')])
    .where(belongsTo(subject))
    .where('at', '>=', starts[0] ?? new Date(0))
    .groupBy(['kind', 'period'])
    .execute()
  const counts = starts.map((): Counts => ({}))
  for (const { period, kind, count } of rows) Object.assign(counts[period - 1] ?? {}, { [kind]: count })
  return counts
}

/** Counts the activity of a share, or of an upload link. */
export async function countActivity(db: Db, subject: Subject): Promise<number> {
  const { count } = await db
    .selectFrom('activity')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(belongsTo(subject))
    .executeTakeFirstOrThrow()
  return count
}
