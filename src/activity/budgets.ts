import { sql } from 'kysely'

/**
 * New entries of a share or an upload link within an hour, by kind. More are not kept, so that no
 * visitor can fill the database. Each kind has a budget of its own, so that no flood of requests
 * hides downloads.
 */
const hourlyMax = { opened: 5_000, refused: 5_000, partly: 10_000, 'handed-out': 20_000, downloaded: 20_000, begun: 5_000, received: 5_000 }
const unfinishedMax = 10_000
/** The entries of one network may use a tenth of each budget. */
const networksPerBudget = 10

const budgets = sql.join(Object.entries(hourlyMax).map(([kind, max]) => sql`(${sql.lit(kind)}, ${sql.lit(max)})`))

/** The column that names the share, or the upload link, of an entry. */
export type SubjectColumn = 'share_uid' | 'reverse_share_id'

/**
 * Common table expressions: `within_budget` has those of `entries` that their shares, or upload
 * links, have room for, and those that change a row. `entries` names one with the column of the
 * subject, kind, network, at and is_known.
 */
export const withinBudget = (entries: 'entries', subject: SubjectColumn = 'share_uid') => sql`
  recent as (
    select ${sql.ref(subject)}, kind, network, count(*) as used from activity
    where ${sql.ref(subject)} in (select ${sql.ref(subject)} from ${sql.table(entries)})
      and at > (select max(at) from ${sql.table(entries)}) - interval '1 hour'
    group by 1, 2, 3
  ), within_budget as (
    select numbered.* from (
      select *, row_number() over (partition by ${sql.ref(subject)}, kind, network order by at) as nth_of_network,
        row_number() over (partition by ${sql.ref(subject)}, kind order by at) as nth
      from ${sql.table(entries)}
    ) numbered
    join (values ${budgets}) as budget (kind, max_entries) using (kind)
    left join recent using (${sql.ref(subject)}, kind, network)
    left join (select ${sql.ref(subject)}, kind, sum(used) as used from recent group by 1, 2) in_all using (${sql.ref(subject)}, kind)
    where is_known
      or (nth_of_network + coalesce(recent.used, 0) <= max_entries / ${sql.lit(networksPerBudget)} and nth + coalesce(in_all.used, 0) <= max_entries)
  )`

/**
 * Common table expressions: `unfinished` has those of `incoming` whose shares have room for another
 * unfinished download, and those that continue one.
 */
export const unfinishedOf = (incoming: 'incoming') => sql`
  recent_downloads as (
    select share_uid, network, count(*) as used from download
    where share_uid in (select share_uid from ${sql.table(incoming)})
      and updated_at > (select max(at) from ${sql.table(incoming)}) - interval '1 hour'
    group by 1, 2
  ), unfinished as (
    select share_uid, link_uid, visitor, item from ${sql.table(incoming)} new
    left join recent_downloads recent using (share_uid, network)
    left join (select share_uid, sum(used) as used from recent_downloads group by 1) in_all using (share_uid)
    where (coalesce(recent.used, 0) < ${sql.lit(unfinishedMax / networksPerBudget)} and coalesce(in_all.used, 0) < ${sql.lit(unfinishedMax)})
      or exists(
        select from download open where open.share_uid = new.share_uid and open.link_uid = new.link_uid
          and open.visitor = new.visitor and open.item = new.item and open.complete_at is null)
  )`

/** Ranges of one download beyond which only those are kept that touch others. */
const rangesMax = 1_000

/** The ranges of an open row of `download` with those of a conflicting new one. */
export const mergedRanges = sql`(download.ranges + case
  when (select count(*) from unnest(download.ranges)) < ${sql.lit(rangesMax)} then excluded.ranges
  else coalesce((
    select range_agg(part) from unnest(excluded.ranges) as part where int8range(lower(part) - 1, upper(part) + 1) && download.ranges
  ), '{}') end)`
