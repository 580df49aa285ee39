import { sql } from 'kysely'

/** Which downloads count: complete ones, or also those that the store or a proxy sends. */
type Counted = 'complete' | 'or handed out'

const counts = { complete: sql`not is_handed_out`, 'or handed out': sql`true` }

/** What a recipient has downloaded. */
export interface Fetched {
  /** When they last downloaded something completely. */
  downloadedAt: Date | null
  /** Whether the store or a proxy sends them something. */
  isHandedOut: boolean
}

/** Selects how many files visitors of the row of `share` see. Join it as `files`. */
export const publishedFiles = sql<{ total: number }>`lateral (
  select count(*) as total from file where file.share_id = share.id and file.published)`

/**
 * Selects what the recipient in the row of `share_recipient` has downloaded: `zip` is the newest
 * revision of a zip of all files, and `items` how many files. Join it as `got`.
 */
export function downloadsOf(counted: Counted) {
  const isCounted = counts[counted]
  return sql<Fetched>`lateral (
    select max(revision) filter (where ${isCounted}) as zip, count(*) filter (where ${isCounted} and item <> '') as items,
      max(at) filter (where not is_handed_out) as downloaded_at, coalesce(bool_or(is_handed_out), false) as is_handed_out
    from recipient_download where recipient_id = share_recipient.id)`
}

/**
 * Selects whether the recipient in the row of `share_recipient` has downloaded all files of the row
 * of `share`, each alone or in a zip of all files. A text is downloaded when it is opened. It needs
 * `publishedFiles` and `downloadsOf`, so that the files are compared only if there are enough.
 */
export function hasFetchedAll(counted: Counted) {
  return sql<boolean>`(case
    when share.kind = 'text' then share_recipient.opened_at is not null
    when files.total = 0 or (got.zip is null and got.items < files.total) then false
    when got.zip >= share.revision then true
    else not exists(
      select id::text from file
      where file.share_id = share.id and file.published and coalesce(file.published_revision, 0) > coalesce(got.zip, -1)
      except select item from recipient_download where recipient_id = share_recipient.id and ${counts[counted]}) end)`
}

/**
 * Selects whether the link in the row of `own` can be used, and its recipient has not downloaded all
 * files. It needs what `hasFetchedAll` does. While the activity is turned off, it is only known
 * whether they have downloaded something.
 */
export function isLate(now: Date, hasActivity: boolean) {
  const hasFetched = hasActivity ? hasFetchedAll('or handed out') : sql`own.downloads > 0`
  return sql<boolean>`(own.enabled and (own.expires_at is null or own.expires_at > ${now}) and not ${hasFetched})`
}
