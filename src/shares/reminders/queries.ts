import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'
import { type Grace, isInGrace } from '../deletion/grace.ts'
import type { Share } from '../queries.ts'

/**
 * Records that a visitor asks to reopen an expired share. Returns the share, or undefined if that
 * was asked since `before`.
 */
export function claimRequest(db: Db, id: string, grace: Grace, before: Date): Promise<Share | undefined> {
  return db
    .updateTable('share')
    .set({ askedAt: grace.now })
    .where('id', '=', id)
    .where(isInGrace(grace))
    .where((eb) => eb.or([eb('askedAt', 'is', null), eb('askedAt', '<=', before)]))
    .returningAll()
    .executeTakeFirst()
}

const hour = 3_600_000 // ms

/**
 * Records up to `limit` shares of accounts that no one has opened and that expire within `hours`,
 * and returns them. Each is returned once for each of its expirations, and never if it was
 * completed or extended within these hours.
 */
export function claimReminders(db: Db, { now, hours, limit }: { now: Date; hours: number; limit: number }): Promise<Share[]> {
  const due = db
    .selectFrom('share')
    .select('uid')
    .where('completedAt', 'is not', null)
    .where('deletedAt', 'is', null)
    .where('removedReason', 'is', null)
    .where('private', '=', false)
    .where('ownerId', 'is not', null)
    .where('receiverId', 'is', null)
    .where('views', '=', 0)
    .where('expiresAt', '>', now)
    .where('expiresAt', '<=', new Date(now.getTime() + hours * hour))
    .where(sql<boolean>`active_at < expires_at - ${hours} * interval '1 hour'`)
    .where(sql<boolean>`reminded_of is distinct from expires_at`)
    .orderBy('expiresAt')
    .limit(limit)
    .forUpdate()
    .skipLocked()
  return db
    .updateTable('share')
    .set((eb) => ({ remindedOf: eb.ref('expiresAt') }))
    .where('uid', 'in', due)
    .returningAll()
    .execute()
}

/** Returns the addresses of a share's recipients. */
export async function recipientEmails(db: Db, shareId: string): Promise<string[]> {
  const rows = await db.selectFrom('shareRecipient').select('email').where('shareId', '=', shareId).orderBy('email').execute()
  return rows.map(({ email }) => email)
}
