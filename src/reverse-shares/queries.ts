import { type ExpressionBuilder, type Insertable, sql } from 'kysely'
import type { Database, Db, ReverseShareTable } from '../db/schema.ts'
import type { SharedFile } from '../shares/contract.ts'
import { fileCountOf, filesOf, type Page, type RowRange, rowRangeOf } from '../shares/queries.ts'
import { isUnexpiredLink, type ReverseShare } from '../shares/reverse/queries.ts'

/** Inserts a reverse share; undefined when its link is taken, in whatever case. The link of one that has expired is free. In a transaction: of many at once, the lock lets one through. */
export async function insertReverseShare(db: Db, row: Insertable<ReverseShareTable>, now: Date): Promise<ReverseShare | undefined> {
  await sql`select pg_advisory_xact_lock(hashtext('upload link'), hashtext(lower(${row.token})))`.execute(db)
  await db.deleteFrom('reverseShare').where(sameToken(row.token)).where('expiresAt', '<=', now).execute()
  if (await db.selectFrom('reverseShare').select('id').where(sameToken(row.token)).limit(1).executeTakeFirst()) return undefined
  return db
    .insertInto('reverseShare')
    .values(row)
    .onConflict((conflict) => conflict.column('token').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Whether a link leads to a reverse share in whatever case, used up or not. */
export async function isTokenTaken(db: Db, token: string, now: Date): Promise<boolean> {
  const row = await db.selectFrom('reverseShare').select('id').where(sameToken(token)).where(isUnexpiredLink(now)).executeTakeFirst()
  return row !== undefined
}

function sameToken(token: string) {
  return sql<boolean>`lower(token) = lower(${token})`
}

/** A user's reverse shares that have not expired, newest first: a page of them, or all. */
export function reverseSharesOf(db: Db, ownerId: string, now: Date, page: Page): Promise<ReverseShare[]> {
  const links = ownedLinks(db, ownerId, now).selectAll().orderBy('createdAt', 'desc').orderBy('id')
  const span = rowRangeOf(page)
  return (span ? links.limit(span.limit).offset(span.offset) : links).execute()
}

/** How many `reverseSharesOf` finds on all pages. */
export async function countReverseShares(db: Db, ownerId: string, now: Date): Promise<number> {
  const { count } = await ownedLinks(db, ownerId, now)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** How many shares came through each of some reverse shares, and their bytes; none for a link through which nothing came. */
export function receivedTotals(db: Db, links: readonly string[], now: Date) {
  return db
    .selectFrom('share')
    .select('reverseShareId')
    .select((eb) => [eb.fn.countAll<number>().as('shareCount'), sql<number>`sum(size)::bigint`.as('receivedSize')])
    .where('reverseShareId', 'in', [...links])
    .where(received(now))
    .groupBy('reverseShareId')
    .execute()
}

interface Wanted {
  /** The shares of each link: so many, after so many. */
  span?: RowRange | undefined
  /** Of each share. */
  files?: number | undefined
}

/** What has come through some of a user's reverse shares and was not taken over: completed shares, newest first. */
export function receivedShares(db: Db, links: readonly string[], now: Date, { span, files }: Wanted) {
  const placed = db
    .selectFrom('share')
    .select(['id', sql<number>`row_number() over (partition by reverse_share_id order by completed_at desc, id)`.as('place')])
    .where('reverseShareId', 'in', [...links])
    .where(received(now))
    .as('placed')
  const shares = db
    .selectFrom('share')
    .innerJoin(placed, 'placed.id', 'share.id')
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
    .orderBy('place')
    .$narrowType<{ completedAt: Date; files: SharedFile[]; fileCount: number }>()
  return (span ? shares.where('place', '>', span.offset).where('place', '<=', span.offset + span.limit) : shares).execute()
}

function ownedLinks(db: Db, ownerId: string, now: Date) {
  return db.selectFrom('reverseShare').where('ownerId', '=', ownerId).where(isUnexpiredLink(now))
}

/** Shares that whoever made the link can see. */
function received(now: Date) {
  return (eb: ExpressionBuilder<Database, 'share'>) =>
    eb.and([
      eb('receiverId', 'is not', null),
      eb('completedAt', 'is not', null),
      eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]),
    ])
}

export function reverseShareById(db: Db, id: string): Promise<ReverseShare | undefined> {
  return db.selectFrom('reverseShare').selectAll().where('id', '=', id).executeTakeFirst()
}

/**
 * Deletes a reverse share with all that came through it; false when it was gone. In a transaction. Shares before their link, as whatever else deletes shares
 * locks them; then once more those that came while the link was waited for.
 */
export async function deleteReverseShare(db: Db, id: string): Promise<boolean> {
  const deleteShares = () => db.deleteFrom('share').where('reverseShareId', '=', id).execute()
  await deleteShares()
  await sql`select id from reverse_share where id = ${id} for update`.execute(db)
  await deleteShares()
  const { numDeletedRows } = await db.deleteFrom('reverseShare').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}
