import { type ExpressionBuilder, type Insertable, sql, type Updateable } from 'kysely'
import type { Database, Db, ReverseShareTable } from '../db/schema.ts'
import type { SharedFile } from '../shares/contract.ts'
import { type Deletion, deletedValues, isOver, isRestorable, restoredValues } from '../shares/deletion/queries.ts'
import { type Page, type RowRange, rowRangeOf } from '../shares/lists/queries.ts'
import { fileCountOf, filesOf } from '../shares/queries.ts'
import { isUnexpiredLink, type ReverseShare } from '../shares/reverse/queries.ts'
import { retiredTokens, retireToken } from './retired.ts'

/**
 * Inserts a reverse share; undefined if its link is taken, ignoring case. Call it in a transaction.
 */
export async function insertReverseShare(db: Db, row: Insertable<ReverseShareTable>, now: Date): Promise<ReverseShare | undefined> {
  if (!(await reserveToken(db, row.token, now))) return undefined
  return db
    .insertInto('reverseShare')
    .values(row)
    .onConflict((conflict) => conflict.column('token').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/**
 * Reserves a token until the transaction ends: a lock lets concurrent calls for one link through in
 * turn. Deletes an expired reverse share with this link. Returns false if it is taken, ignoring case.
 * Tokens that the reverse share `ownId` had before are free for it.
 */
export async function reserveToken(db: Db, token: string, now: Date, ownId?: string): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('upload link'), hashtext(lower(${token})))`.execute(db)
  await db.deleteFrom('reverseShare').where(sameToken(token)).where(isOver(now)).execute()
  const taken = db
    .selectFrom('reverseShare')
    .select('token')
    .where(sameToken(token))
    .unionAll(retiredTokens(db, token, now, ownId))
  return !(await taken.limit(1).executeTakeFirst())
}

interface OwnLink {
  id: string
  ownerId: string
  now: Date
}

/**
 * Gives a user's unexpired reverse share another token, and deletes the links of other products that
 * lead to it. The old token stays reserved. Returns undefined if the user has no such reverse share.
 * Call it in a transaction.
 */
export async function replaceToken(tx: Db, { id, ownerId, now }: OwnLink, token: string): Promise<ReverseShare | undefined> {
  const owned = ownedLinks(tx, ownerId, now).select('id').where('id', '=', id).where('deletedAt', 'is', null)
  if (!(await owned.forUpdate().executeTakeFirst())) return undefined
  await retireToken(tx, id)
  await tx.deleteFrom('oldLink').where('reverseShareId', '=', id).execute()
  return tx.updateTable('reverseShare').set({ token }).where('id', '=', id).returningAll().executeTakeFirst()
}

export type ReverseShareValues = Omit<Updateable<ReverseShareTable>, 'id' | 'token' | 'ownerId' | 'uses'>

/**
 * Changes a user's unexpired reverse share, and the expiration of the shares received through it.
 * Returns undefined if the user has no such reverse share. Call it in a transaction. It locks
 * shares before their reverse share, like all deletions.
 */
export async function changeReverseShare(
  tx: Db,
  { id, ownerId, now }: OwnLink,
  values: ReverseShareValues,
): Promise<ReverseShare | undefined> {
  const own = ownedLinks(tx, ownerId, now).select('id').where('id', '=', id)
  if (values.expiresAt !== undefined) {
    await tx
      .updateTable('share')
      .set({ expiresAt: values.expiresAt })
      .where('reverseShareId', 'in', own)
      .where('deletedAt', 'is', null)
      .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]))
      .execute()
  }
  return tx
    .updateTable('reverseShare')
    .set({ id, ...values })
    .where('id', 'in', own)
    .where('deletedAt', 'is', null) // checked again after waiting for a concurrent deletion
    .returningAll()
    .executeTakeFirst()
}

/**
 * Whether an unexpired or restorable reverse share has this link or had it before, ignoring case.
 * Its uses don't matter.
 */
export async function isTokenTaken(db: Db, token: string, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('reverseShare')
    .select('token')
    .where(sameToken(token))
    .where((eb) => eb.not(isOver(now)))
    .unionAll(retiredTokens(db, token, now))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

function sameToken(token: string) {
  return sql<boolean>`lower(token) = lower(${token})`
}

/** Returns a page of a user's unexpired reverse shares, newest first. */
export function listReverseShares(db: Db, ownerId: string, now: Date, page: Page): Promise<ReverseShare[]> {
  const links = ownedLinks(db, ownerId, now).selectAll().orderBy('createdAt', 'desc').orderBy('id')
  const { limit, offset } = rowRangeOf(page)
  return links.limit(limit).offset(offset).execute()
}

/** Counts the reverse shares that `listReverseShares` finds on all pages. */
export async function countReverseShares(db: Db, ownerId: string, now: Date): Promise<number> {
  const { count } = await ownedLinks(db, ownerId, now)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Counts the shares received through each reverse share, and their bytes. Returns no row for one
 * without shares.
 */
export function receivedTotals(db: Db, links: readonly string[], now: Date) {
  return db
    .selectFrom('share')
    .select('reverseShareId')
    .select((eb) => [eb.fn.countAll<number>().as('shareCount'), sql<number>`sum(size)::bigint`.as('receivedSize')])
    .where('reverseShareId', 'in', [...links])
    .where(isReceived(now))
    .groupBy('reverseShareId')
    .execute()
}

interface ReceivedOptions {
  /** The range of shares of each link. */
  span?: RowRange | undefined
  /** The maximum number of files of each share. */
  files?: number | undefined
}

/**
 * Returns the completed shares that were received through reverse shares and not adopted, newest
 * first.
 */
export function receivedShares(db: Db, links: readonly string[], now: Date, { span, files }: ReceivedOptions) {
  const ranked = db
    .selectFrom('share')
    .select(['id', sql<number>`row_number() over (partition by reverse_share_id order by completed_at desc, id)`.as('rank')])
    .where('reverseShareId', 'in', [...links])
    .where(isReceived(now))
    .as('ranked')
  const shares = db
    .selectFrom('share')
    .innerJoin(ranked, 'ranked.id', 'share.id')
    .select([
      'share.id',
      'reverseShareId',
      'name',
      'description',
      'expiresAt',
      'createdAt',
      'completedAt',
      'senderChangedAt',
      'size',
      'views',
    ])
    .select(['senderName', 'senderEmail', 'senderMessage'])
    .select((eb) => [
      eb.selectFrom('user').select('username').whereRef('user.id', '=', 'share.ownerId').as('username'),
      filesOf(eb, files).as('files'),
      fileCountOf(eb).as('fileCount'),
    ])
    .orderBy('rank')
    .$narrowType<{ completedAt: Date; files: SharedFile[]; fileCount: number }>()
  return (span ? shares.where('rank', '>', span.offset).where('rank', '<=', span.offset + span.limit) : shares).execute()
}

function ownedLinks(db: Db, ownerId: string, now: Date) {
  return db.selectFrom('reverseShare').where('ownerId', '=', ownerId).where(isUnexpiredLink(now))
}

/** Selects the shares that the owner of a reverse share can see. */
function isReceived(now: Date) {
  return (eb: ExpressionBuilder<Database, 'share'>) =>
    eb.and([
      eb('receiverId', 'is not', null),
      eb('completedAt', 'is not', null),
      eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]),
    ])
}

/** Returns a reverse share, expired or not, unless it was deleted. */
export function reverseShareById(db: Db, id: string): Promise<ReverseShare | undefined> {
  return db.selectFrom('reverseShare').selectAll().where('id', '=', id).where('deletedAt', 'is', null).executeTakeFirst()
}

/**
 * Marks a reverse share and the shares received through it as deleted, and deletes those that are
 * still being uploaded. Returns false if it was already deleted. Call it in a transaction. It locks
 * shares before their reverse share, like all other deletions. Shares created or completed while it
 * waits for the second lock are deleted in a second pass.
 */
export async function markReverseShareDeleted(db: Db, id: string, deletion: Deletion): Promise<boolean> {
  const deleteShares = async () => {
    await db.deleteFrom('share').where('reverseShareId', '=', id).where('completedAt', 'is', null).execute()
    await db.updateTable('share').set(deletedValues(deletion)).where('reverseShareId', '=', id).where('deletedAt', 'is', null).execute()
  }
  await deleteShares()
  await sql`select id from reverse_share where id = ${id} for update`.execute(db)
  await deleteShares()
  const { numUpdatedRows } = await db
    .updateTable('reverseShare')
    .set(deletedValues(deletion))
    .where('id', '=', id)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Restores a reverse share and the shares that were deleted with it. Returns false if this user
 * can't restore it. Call it in a transaction.
 */
export async function restoreReverseShare(db: Db, id: string, deletion: Deletion): Promise<boolean> {
  const deleted = db.selectFrom('reverseShare').select('deletedAt').where('id', '=', id).where(isRestorable(deletion))
  await db.updateTable('share').set(restoredValues).where('reverseShareId', '=', id).where('deletedAt', '=', deleted).execute()
  const { numUpdatedRows } = await db
    .updateTable('reverseShare')
    .set(restoredValues)
    .where('id', '=', id)
    .where(isRestorable(deletion))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
