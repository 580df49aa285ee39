import { sql } from 'kysely'
import { downloadsOf, isLate, publishedFiles } from '../../activity/fetched.ts'
import type { Db } from '../../db/schema.ts'
import { type Grace, hasLink, isInGrace } from '../deletion/grace.ts'
import type { Share } from '../queries.ts'

/**
 * Records that a visitor asks to reopen an expired share. Returns the share, or undefined if that
 * was asked since `before`.
 */
export function claimRequest(db: Db, id: string, grace: Grace, before: Date): Promise<Share | undefined> {
  return db
    .updateTable('share')
    .set({ askedAt: grace.now })
    .where(hasLink(id))
    .where(isInGrace(grace))
    .where((eb) => eb.or([eb('askedAt', 'is', null), eb('askedAt', '<=', before)]))
    .returningAll()
    .executeTakeFirst()
}

const hour = 3_600_000 // ms

/** What must be known to claim shares for emails. */
export interface Claim {
  now: Date
  limit: number
}

/** A share that expires soon. */
export type ExpiringShare = Share & {
  /** Whether no one has downloaded anything. */
  isUnfetched: boolean
}

/**
 * Records up to `limit` shares of accounts that expire within `hours` and that no one has downloaded,
 * or some recipients not completely, and returns them. Each is returned once for each of its
 * expirations, and never if it was completed or extended within these hours. Call it in a transaction.
 */
export async function claimReminders(
  db: Db,
  { now, limit, hours, hasActivity }: Claim & { hours: number; hasActivity: boolean },
): Promise<ExpiringShare[]> {
  const due = await db
    .selectFrom('share')
    .selectAll()
    .select(isUnfetched.as('isUnfetched'))
    .where('completedAt', 'is not', null)
    .where('deletedAt', 'is', null)
    .where('removedReason', 'is', null)
    .where('private', '=', false)
    .where('ownerId', 'is not', null)
    .where('receiverId', 'is', null)
    .where('expiresAt', '>', now)
    .where('expiresAt', '<=', new Date(now.getTime() + hours * hour))
    .where(sql<boolean>`active_at < expires_at - ${hours} * interval '1 hour'`)
    .where(sql<boolean>`reminded_of is distinct from expires_at`)
    .where(
      sql<boolean>`(${isUnfetched} or exists(
        select from share_recipient join share_link own on own.recipient_id = share_recipient.id,
          ${publishedFiles} files, ${downloadsOf('or handed out')} got
        where share_recipient.share_id = share.id and ${isLate(now, hasActivity)}))`,
    )
    .orderBy(sql`random()`)
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  const uids = due.map(({ uid }) => uid)
  if (uids.length > 0) {
    await db
      .updateTable('share')
      .set((eb) => ({ remindedOf: eb.ref('expiresAt') }))
      .where('uid', 'in', uids)
      .execute()
  }
  return due
}

const isUnfetched = sql<boolean>`(share.downloads = 0
  and not exists(select from share_link where share_id = share.id and share_link.downloads > 0)
  and not exists(select from activity
    where share_uid = share.uid and (activity.kind in ('downloaded', 'handed-out') or (activity.kind = 'opened' and share.kind = 'text'))))`

/** Lets a share that was claimed be reminded of later. */
export async function postponeReminder(db: Db, { uid }: Share): Promise<void> {
  await db.updateTable('share').set({ remindedOf: null }).where('uid', '=', uid).execute()
}

/** A recipient who gets a reminder. */
export interface LateRecipient {
  email: string
  /** The id of their own link; null if they were emailed the first one. */
  link: string | null
  /** When that link expires; null: together with the share. */
  expiresAt: Date | null
}

/**
 * Returns the recipients of a share who have not downloaded all files through their own link, and, if
 * no one has downloaded it, those without one.
 */
export function lateRecipients(db: Db, { uid, isUnfetched }: ExpiringShare, now: Date, hasActivity: boolean): Promise<LateRecipient[]> {
  return db
    .selectFrom('shareRecipient')
    .innerJoin('share', 'share.id', 'shareRecipient.shareId')
    .leftJoin('shareLink as own', 'own.recipientId', 'shareRecipient.id')
    .innerJoin(publishedFiles.as('files'), (join) => join.onTrue())
    .innerJoin(downloadsOf('or handed out').as('got'), (join) => join.onTrue())
    .select(['email', 'own.id as link', 'own.expiresAt'])
    .where('share.uid', '=', uid)
    .where(sql<boolean>`case when own.id is null then ${isUnfetched}::boolean else ${isLate(now, hasActivity)} end`)
    .orderBy('email')
    .execute()
}
