import { sql } from 'kysely'

/** Which downloads count: complete ones, or also those that the store or a proxy sends. */
type Counted = 'complete' | 'or handed out'

/**
 * Selects whether the recipient in the row of `share_recipient` has downloaded all files of the row
 * of `share`, each alone or in a zip of all files. A text is downloaded when it is opened.
 */
export function hasFetchedAll(counted: Counted) {
  const counts = counted === 'complete' ? sql`not got.is_handed_out` : sql`true`
  const got = sql`select from recipient_download got where got.recipient_id = share_recipient.id and ${counts}`
  const files = sql`select from file where file.share_id = share.id and file.published`
  const isInZip = sql`exists(${got} and got.item = '' and got.revision >= coalesce(file.published_revision, 0))`
  const isFetched = sql`(exists(${got} and got.item = file.id::text) or ${isInZip})`
  return sql<boolean>`(case when share.kind = 'text' then share_recipient.opened_at is not null
    else exists(${files}) and not exists(${files} and not ${isFetched}) end)`
}

/**
 * Selects whether the link in the row of `own` can be used, and its recipient has not downloaded all
 * files. While the activity is turned off, it is only known whether they have downloaded something.
 */
export function isLate(now: Date, hasActivity: boolean) {
  const hasFetched = hasActivity ? hasFetchedAll('or handed out') : sql`own.downloads > 0`
  return sql<boolean>`(own.enabled and (own.expires_at is null or own.expires_at > ${now}) and not ${hasFetched})`
}
