import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'
import { undoFor } from '../limits.ts'
import { type Grace, graceStart, isInGrace } from './grace.ts'

// A deleted share or reverse share keeps its row for `undoFor`, expired since its deletion. So
// every guard and list refuses it like an expired one, and its link stays taken. Then the clean-up
// deletes the row.

/** Who deletes something, and when. */
export interface Deletion {
  userId: string
  now: Date
}

/** Marks a completed share as deleted. Returns false if it was already deleted. */
export async function markDeleted(db: Db, uid: string, deletion: Deletion): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('share')
    .set(deletedValues(deletion))
    .where('uid', '=', uid)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Marks those of these completed shares as deleted that the user owns or received, also expired
 * ones that can be reopened. Returns their ids.
 */
export async function markOwnDeleted(db: Db, ids: readonly string[], { userId, ...grace }: Deletion & Grace): Promise<string[]> {
  const rows = await db
    .updateTable('share')
    .set(deletedValues({ userId, now: grace.now }))
    .where('id', 'in', ids)
    .where((eb) => eb.or([eb('ownerId', '=', userId), eb('receiverId', '=', userId)]))
    .where('completedAt', 'is not', null)
    .where('deletedAt', 'is', null)
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', grace.now), isInGrace(grace)]))
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Restores those of these shares that this user can still restore. Returns their ids. */
export async function restoreShares(db: Db, ids: readonly string[], deletion: Deletion & Grace): Promise<string[]> {
  const rows = await db
    .updateTable('share')
    .set(restoredValues)
    .where('id', 'in', ids)
    .where(isRestorable(deletion))
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The values that hide a row until its deletion is undone. */
export function deletedValues({ userId, now }: Deletion) {
  return { ...hiddenValues(now), deletedBy: userId }
}

/** The values that hide a row, without who deleted it. */
export function hiddenValues(now: Date) {
  return { deletedAt: now, expiresAt: now, restoredExpiresAt: sql<Date | null>`expires_at` }
}

/** The values that restore a row. */
export const restoredValues = {
  expiresAt: sql<Date | null>`restored_expires_at`,
  restoredExpiresAt: null,
  deletedAt: null,
  deletedBy: null,
}

/**
 * Selects rows that this user deleted less than `undoFor` ago, and that have not expired since or
 * can be reopened.
 */
export function isRestorable({ userId, now, graceDays = 0 }: Deletion & Partial<Grace>) {
  return sql<boolean>`(deleted_by = ${userId} and deleted_at > ${undoStart(now)}
    and (restored_expires_at is null or restored_expires_at > ${graceStart({ now, graceDays })}))`
}

/**
 * Selects shares that have expired or were deleted, and can be neither reopened nor restored. Both
 * conditions have an index, so that the many shares that can be reopened are not read.
 */
export function isShareOver(grace: Grace) {
  return sql<boolean>`(${isOver(grace.now)} and (expires_at <= ${graceStart(grace)} or (expires_at <= ${grace.now}
    and (deleted_at is not null or completed_at is null or (owner_id is null and receiver_id is null)))))`
}

/** Selects reverse shares that have expired or were deleted, and can't be restored. */
export function isOver(now: Date) {
  return sql<boolean>`(expires_at is not null and expires_at <= ${now} and (deleted_at is null or deleted_at <= ${undoStart(now)}))`
}

function undoStart(now: Date): Date {
  return new Date(now.getTime() - undoFor)
}
