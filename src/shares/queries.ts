import { type ExpressionBuilder, type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely'
import type { Database, Db, ShareTable } from '../db/schema.ts'
import type { SharedFile, SortKey } from './contract.ts'

export type Share = Selectable<ShareTable>

/** Lets go of a link whose share has expired, in whatever case, with all that belonged to it; false when there was none. */
export async function removeExpired(db: Db, id: string, now: Date): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('share').where(sameLink(id)).where('expiresAt', '<=', now).executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * Inserts a share; returns undefined when its link is taken, in whatever case. In a transaction: of many at once, the lock lets one through. Older links may
 * differ only in case, so no unique index can decide.
 */
export async function insertShare(db: Db, share: Insertable<ShareTable>): Promise<Share | undefined> {
  await sql`select pg_advisory_xact_lock(hashtext('share link'), hashtext(lower(${share.id})))`.execute(db)
  if (await isLinkTaken(db, share.id)) return undefined
  return db
    .insertInto('share')
    .values(share)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Whether a link leads to a share in whatever case, even an expired one; with `now` only to one that has not expired. */
export async function isLinkTaken(db: Db, id: string, now?: Date): Promise<boolean> {
  const links = db.selectFrom('share').select('id').where(sameLink(id))
  return (await (now ? links.where(unexpired(now)) : links).limit(1).executeTakeFirst()) !== undefined
}

function sameLink(id: string) {
  return sql<boolean>`lower(id) = lower(${id})`
}

/** A share that has not expired, open or not. */
export function activeShare(db: Db, id: string, now: Date): Promise<Share | undefined> {
  return db.selectFrom('share').selectAll().where('id', '=', id).where(unexpired(now)).executeTakeFirst()
}

/** The row as it is now, locked until the transaction ends; undefined when it is gone. */
export function lockShare(db: Db, uid: string): Promise<Share | undefined> {
  return db.selectFrom('share').selectAll().where('uid', '=', uid).forUpdate().executeTakeFirst()
}

/** Deletes a share with its files' rows; triggers leave word of the bytes. False when it was gone. */
export async function deleteShare(db: Db, uid: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('share').where('uid', '=', uid).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes a share that was never completed, likewise. False when it was, or is gone. */
export async function deleteUnfinished(db: Db, uid: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('share').where('uid', '=', uid).where('completedAt', 'is', null).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes files of which only some chunks have come: their sender has begun anew, without the id of the first try, whose answer was lost. */
export async function deleteLostChunks(db: Db, shareId: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('file')
    .where('shareId', '=', shareId)
    .where('completedAt', 'is', null)
    .where('chunks', 'is not', null)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** How many files a share has that stay, and the ids of those whose upload is not finished. */
export async function uploadState(db: Db, shareId: string): Promise<{ count: number; unfinished: string[] }> {
  const files = await db
    .selectFrom('file')
    .select(['id', 'completedAt'])
    .where('shareId', '=', shareId)
    .where('removedAt', 'is', null)
    .orderBy('createdAt')
    .execute()
  return { count: files.length, unfinished: files.filter((file) => !file.completedAt).map((file) => file.id) }
}

/**
 * Counts what visitors see as changed: the next revision, its size, and an archive that is to be made (`zip`) or needs no making. An archive of the
 * revision before is left to the clean-up. A received share is marked as changed by its sender after it arrived, unless `byReceiver`.
 */
export async function bumpRevision(
  db: Db,
  uid: string,
  { zip, now, byReceiver = false }: { zip: boolean; now: Date; byReceiver?: boolean },
): Promise<Share> {
  await db
    .insertInto('deletedObject')
    .columns(['key'])
    .expression((eb) =>
      eb
        .selectFrom('share')
        .select(sql<string>`'zips/' || uid || '/' || revision`.as('key'))
        .where('uid', '=', uid)
        .where('zipState', '<>', 'none'),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return db
    .updateTable('share')
    .set((eb) => ({
      revision: sql`revision + 1`,
      size: eb
        .selectFrom('file')
        .select(sql<number>`coalesce(sum(file.size), 0)`.as('size'))
        .whereRef('file.shareId', '=', 'share.id')
        .where('file.published', '=', true),
      zipState: zip ? 'preparing' : 'none',
      zipProgress: 0,
      zipSize: null,
      publishedAt: now,
      ...(!byReceiver && { senderChangedAt: changedBySender(now) }),
    }))
    .where('uid', '=', uid)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The time to mark a received share with that its sender changes after it arrived: its first revision is what arrived. */
function changedBySender(now: Date) {
  return sql<Date | null>`case when receiver_id is not null and revision > 0 then ${now}::timestamptz else sender_changed_at end`
}

/** Opens a share to its visitors and closes it for uploads. */
export async function closeUpload(db: Db, uid: string, now: Date): Promise<void> {
  await db
    .updateTable('share')
    .set({ uploadOpen: false, completedAt: sql`coalesce(completed_at, ${now})`, activeAt: now, openedFrom: null })
    .where('uid', '=', uid)
    .execute()
}

export type ChangedShare = Pick<Updateable<ShareTable>, 'name' | 'description' | 'expiresAt' | 'maxViews' | 'passwordHash' | 'activeAt'>

/** Changes what is said about a share and its limits; a new password gets the next version, which ends the tokens of the one before. */
export function changeShare(db: Db, uid: string, change: ChangedShare): Promise<Share> {
  return db
    .updateTable('share')
    .set({
      ...change,
      ...(change.passwordHash && { passwordVersion: sql`password_version + 1` }),
      ...((change.name !== undefined || change.description !== undefined) && { senderChangedAt: changedBySender(change.activeAt as Date) }),
    })
    .where('uid', '=', uid)
    .returningAll()
    .executeTakeFirstOrThrow()
}

export interface Page {
  page?: number
  limit?: number
  search?: string
}

/** An owner's completed shares with at most `files` of their files, newest first. */
export function ownedBy(db: Db, ownerId: string, now: Date, { files, ...page }: Page & { files?: number }) {
  return paged(matching(db, now, page.search).where('ownerId', '=', ownerId).where('completedAt', 'is not', null), page)
    .select(['id', 'name', 'description', 'expiresAt', 'createdAt', 'size', 'views', 'maxViews'])
    .select('uploadOpen as editing')
    .select((eb) => [
      eb('passwordHash', 'is not', null).as('passwordProtected'),
      filesOf(eb, files).as('files'),
      fileCountOf(eb).as('fileCount'),
      recipientsOf(eb).as('recipients'),
    ])
    .$narrowType<{ files: SharedFile[]; fileCount: number; recipients: string[]; passwordProtected: boolean }>()
    .execute()
}

/** How many `ownedBy` finds on all pages. */
export async function countOwnedBy(db: Db, ownerId: string, now: Date, search?: string): Promise<number> {
  const { count } = await matching(db, now, search)
    .where('ownerId', '=', ownerId)
    .where('completedAt', 'is not', null)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export interface SortedPage extends Page {
  sort?: SortKey
  order?: 'asc' | 'desc'
}

const sortable: Record<SortKey, RawBuilder<unknown>> = {
  name: sql`lower(coalesce(share.name, share.id))`,
  creator: sql`(select lower(username) from "user" where "user".id = share.owner_id)`,
  views: sql`share.views`,
  size: sql`share.size`,
  expiration: sql`coalesce(share.expires_at, 'infinity')`,
  createdAt: sql`share.created_at`,
}

/** Every share with its owner's name, newest first unless said otherwise; a search finds owners too. */
export function everyShare(db: Db, now: Date, { sort = 'createdAt', order = 'desc', ...page }: SortedPage) {
  const sorted = matching(db, now, page.search, 'owners').orderBy(sortable[sort], (item) =>
    (order === 'asc' ? item.asc() : item.desc()).nullsLast(),
  )
  return paged(sorted, page)
    .select(['id', 'name', 'description', 'expiresAt', 'createdAt', 'size', 'views', 'completedAt'])
    .select((eb) => eb.selectFrom('user').select('username').whereRef('user.id', '=', 'share.ownerId').as('username'))
    .execute()
}

/** How many `everyShare` finds on all pages. */
export async function countShares(db: Db, now: Date, search?: string): Promise<number> {
  const { count } = await matching(db, now, search, 'owners')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Who owns a share; undefined when it was made without an account. */
export async function ownerOf(db: Db, ownerId: string | null): Promise<{ username: string; email: string } | undefined> {
  if (ownerId === null) return undefined
  return db.selectFrom('user').select(['username', 'email']).where('id', '=', ownerId).executeTakeFirst()
}

function unexpired(now: Date) {
  return (eb: ExpressionBuilder<Database, 'share'>) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)])
}

/** Shares that have not expired and whose link, name or description holds a text; with `owners` also those of a user whose name does. */
function matching(db: Db, now: Date, search = '', also?: 'owners') {
  const live = db.selectFrom('share').where(unexpired(now))
  const text = search.replaceAll('\0', '').trim()
  if (!text) return live
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  return live.where((eb) => {
    const own = [eb('id', 'ilike', pattern), eb('name', 'ilike', pattern), eb('description', 'ilike', pattern)]
    const owners = eb.selectFrom('user').select('user.id').where('username', 'ilike', pattern)
    return eb.or(also ? [...own, eb('ownerId', 'in', owners)] : own)
  })
}

function paged(query: ReturnType<typeof matching>, page: Page) {
  const ordered = query.orderBy('createdAt', 'desc').orderBy('id')
  const span = rowRangeOf(page)
  return span ? ordered.limit(span.limit).offset(span.offset) : ordered
}

export interface RowRange {
  limit: number
  offset: number
}

/** Which rows a page of a list has; undefined: all. */
export function rowRangeOf({ page = 1, limit }: Pick<Page, 'page' | 'limit'>): RowRange | undefined {
  const size = limit ?? (page > 1 ? defaultLimit : undefined)
  return size === undefined ? undefined : { limit: size, offset: (page - 1) * size }
}

function recipientsOf(eb: ExpressionBuilder<Database, 'share'>) {
  return eb
    .selectFrom('shareRecipient')
    .select(sql<string[]>`coalesce(array_agg(email order by created_at, email), '{}')`.as('list'))
    .whereRef('shareRecipient.shareId', '=', 'share.id')
}

/** The files that a share's visitors see, by name: all of them, or the first `limit`. */
export function filesOf(eb: ExpressionBuilder<Database, 'share'>, limit?: number) {
  const files = eb
    .selectFrom('file')
    .select(['file.id', 'file.name', 'file.size'])
    .whereRef('file.shareId', '=', 'share.id')
    .where('file.published', '=', true)
    .orderBy('file.name')
    .orderBy('file.id')
  return eb.selectFrom((limit === undefined ? files : files.limit(limit)).as('listed')).select(
    sql<SharedFile[]>`coalesce(json_agg(json_build_object('id', listed.id, 'name', listed.name, 'size', listed.size::text)
        order by listed.name, listed.id), '[]')`.as('list'),
  )
}

/** How many files a share's visitors see. */
export function fileCountOf(eb: ExpressionBuilder<Database, 'share'>) {
  return eb
    .selectFrom('file')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .whereRef('file.shareId', '=', 'share.id')
    .where('file.published', '=', true)
}

const defaultLimit = 50
