import {
  type ExpressionBuilder,
  type ExpressionOrFactory,
  type Insertable,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
  type Updateable,
} from 'kysely'
import type { Database, Db, ShareTable } from '../db/schema.ts'
import type { SharedFile, ShareFilter, SortKey } from './contract.ts'
import { type Grace, isInGrace, reopenableBy } from './deletion/grace.ts'
import { isShareOver } from './deletion/queries.ts'

export type Share = Selectable<ShareTable>

/**
 * Deletes an expired share that can't be reopened, so that its link is free, ignoring case. Returns
 * false if there was none.
 */
export async function deleteExpiredShare(db: Db, id: string, grace: Grace): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('share').where(sameLink(id)).where(isShareOver(grace)).executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * Returns whether a link is free for a share or a further link of one, ignoring case. Call it in a
 * transaction, until whose end a lock keeps others from taking the link. A unique index can't do
 * that, because older links may differ only in case.
 */
export async function reserveLink(db: Db, id: string): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('share link'), hashtext(lower(${id})))`.execute(db)
  return !(await isLinkTaken(db, id))
}

/** Inserts a share; returns undefined if its link is taken. Call it in a transaction. */
export async function insertShare(db: Db, share: Insertable<ShareTable>): Promise<Share | undefined> {
  if (!(await reserveLink(db, share.id))) return undefined
  return db
    .insertInto('share')
    .values(share)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/**
 * Whether a link is in use, ignoring case. With `grace`, expired shares don't count unless they can
 * be reopened or restored.
 */
export async function isLinkTaken(db: Db, id: string, grace?: Grace): Promise<boolean> {
  const shares = db.selectFrom('share').select('id').where(sameLink(id))
  const firstLinks = grace ? shares.where((eb) => eb.not(isShareOver(grace))) : shares
  const furtherLinks = db.selectFrom('shareLink').select('id').where(sameLink(id))
  return (await firstLinks.unionAll(furtherLinks).limit(1).executeTakeFirst()) !== undefined
}

function sameLink(id: string) {
  return sql<boolean>`lower(id) = lower(${id})`
}

/** Returns a share that hasn't expired, completed or not. */
export function activeShare(db: Db, id: string, now: Date): Promise<Share | undefined> {
  return db.selectFrom('share').selectAll().where('id', '=', id).where(unexpired(now)).executeTakeFirst()
}

/** Locks a share until the transaction ends and returns it; undefined if it was deleted. */
export function lockShare(db: Db, uid: string): Promise<Share | undefined> {
  return db.selectFrom('share').selectAll().where('uid', '=', uid).where('deletedAt', 'is', null).forUpdate().executeTakeFirst()
}

/**
 * Deletes a share and its files, unless it was completed; triggers queue their objects for deletion.
 * Returns false if it was completed or already deleted.
 */
export async function deleteUnfinished(db: Db, uid: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('share').where('uid', '=', uid).where('completedAt', 'is', null).executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * Deletes files with only some chunks. Their client lost the response with the file's id and
 * started again under a new id.
 */
export async function deleteLostChunks(db: Db, shareId: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('file')
    .where('shareId', '=', shareId)
    .where('completedAt', 'is', null)
    .where('chunks', 'is not', null)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Counts the files that aren't removed, and returns the ids of the unfinished ones. */
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
 * Increments a share's revision after its published files changed, and updates its size.
 * With `zip`, a new archive must be built; the clean-up deletes the archive of the previous
 * revision. Marks a received share as changed by its sender, unless `byReceiver`.
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
      zipState: sql<'preparing' | 'none'>`case when ${zip} and not encrypted then 'preparing' else 'none' end`,
      zipProgress: 0,
      zipSize: null,
      publishedAt: now,
      ...(!byReceiver && { senderChangedAt: changedBySender(now) }),
    }))
    .where('uid', '=', uid)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * The first revision of a received share is the one that was received; later ones are changes by
 * the sender.
 */
function changedBySender(now: Date) {
  return sql<Date | null>`case when receiver_id is not null and revision > 0 then ${now}::timestamptz else sender_changed_at end`
}

/** Marks a share as completed and closes it for uploads. */
export async function closeUpload(db: Db, uid: string, now: Date): Promise<void> {
  await db
    .updateTable('share')
    .set({ uploadOpen: false, completedAt: sql`coalesce(completed_at, ${now})`, activeAt: now, openedFrom: null })
    .where('uid', '=', uid)
    .execute()
}

export type ChangedShare = Pick<
  Updateable<ShareTable>,
  | 'name'
  | 'description'
  | 'expiresAt'
  | 'maxViews'
  | 'maxDownloads'
  | 'deleteAfterDownloads'
  | 'notify'
  | 'notifiedUntil'
  | 'passwordHash'
  | 'private'
  | 'linkLabel'
  | 'linkEnabled'
  | 'activeAt'
>

/** Updates a share. A new password gets a new version, which invalidates earlier unlock tokens. */
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

const defaultLimit = 50 // items of a page
const unpagedLimit = 1_000 // items of a list whose caller names no page
const defaultFiles = 20 // files listed for each share, unless the caller names a number

export interface Page {
  page?: number
  limit?: number
  search?: string
}

interface SortedPage extends Page {
  sort?: SortKey
  order?: 'asc' | 'desc'
}

interface OwnedPage extends SortedPage {
  filter?: ShareFilter
  /** The maximum number of files of each share. */
  files?: number
}

/**
 * Returns a user's completed shares, by default newest first, each with at most `files` of its
 * files. The filter `received` selects the shares they received instead, and `expired` those that
 * they can reopen.
 */
export function listOwnedShares(db: Db, userId: string, grace: Grace, { files, ...page }: OwnedPage) {
  const { sort, filter, search } = page
  // `greatest` keeps PostgreSQL from looking for a user's shares in the index of all shares.
  const finds = filter !== undefined && filter !== 'active' // a part of the shares
  const by = sort || search || finds ? sql`greatest(${sortable[sort ?? 'createdAt']})` : undefined
  return sortedPage(db, owned(db, userId, grace, page), { ...page, by, order: page.order })
    .select(['id', 'name', 'description', 'expiresAt', 'createdAt', 'size', 'views', 'maxViews', 'kind', 'encrypted'])
    .select('uploadOpen as editing')
    .select((eb) => [
      eb.and([eb('receiverId', 'is not', null), eb('receiverId', '=', userId)]).as('received'),
      eb('passwordHash', 'is not', null).as('passwordProtected'),
      filesOf(eb, files).as('files'),
      fileCountOf(eb).as('fileCount'),
      recipientsOf(eb).as('recipients'),
    ])
    .$narrowType<{ files: SharedFile[]; fileCount: number; recipients: string[]; passwordProtected: boolean; received: boolean }>()
    .execute()
}

/** Counts the shares that `listOwnedShares` finds on all pages. */
export async function countOwnedShares(db: Db, userId: string, grace: Grace, page: OwnedPage): Promise<number> {
  const { count } = await owned(db, userId, grace, page)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

const soon = 7 * 86_400_000 // ms

function owned(db: Db, userId: string, grace: Grace, { search, filter }: OwnedPage) {
  if (filter === 'expired') return matching(db, isInGrace(grace), search).where(reopenableBy(userId))
  const { now } = grace
  const completed = matching(db, unexpired(now), search).where('completedAt', 'is not', null)
  if (filter === 'received') return completed.where('receiverId', '=', userId)
  const shares = completed.where('ownerId', '=', userId)
  if (filter === 'active') return shares.where((eb) => eb.not(hasEnded))
  if (filter === 'ended') return shares.where(hasEnded)
  if (filter === 'expiring') return shares.where('expiresAt', '<=', new Date(now.getTime() + soon))
  return filter === 'password' ? shares.where('passwordHash', 'is not', null) : shares
}

const hasEnded = sql<boolean>`(removed_reason is not null or views >= coalesce(max_views, 2147483648))`

/** Migration 035 has indexes of the name and the size. */
const sortable: Record<SortKey, RawBuilder<unknown>> = {
  name: sql`lower(coalesce(share.name, share.id))`,
  creator: sql`(select lower(username) from "user" where "user".id = share.owner_id)`,
  views: sql`share.views`,
  size: sql`share.size`,
  expiration: sql`coalesce(share.expires_at, 'infinity')`,
  createdAt: sql`share.created_at`,
}

/**
 * Returns all shares with their owners' names, by default newest first. A search matches owners
 * too.
 */
export function listAllShares(db: Db, now: Date, page: SortedPage) {
  const { sort = 'createdAt', order } = page
  const creator = order === 'asc' ? sortable.creator : sql`coalesce(${sortable.creator}, '')` // those without one are last
  const by = sort === 'createdAt' ? undefined : sort === 'creator' ? creator : sortable[sort]
  return sortedPage(db, matching(db, unexpired(now), page.search, 'owners'), { ...page, by, order })
    .select(['id', 'name', 'description', 'expiresAt', 'createdAt', 'size', 'views', 'completedAt', 'kind', 'encrypted'])
    .select((eb) => [
      eb.selectFrom('user').select('username').whereRef('user.id', '=', 'share.ownerId').as('username'),
      firstFileOf(eb).as('firstFile'),
      fileCountOf(eb).as('fileCount'),
    ])
    .$narrowType<{ fileCount: number }>()
    .execute()
}

/** Counts the shares that `listAllShares` finds on all pages. */
export async function countAllShares(db: Db, now: Date, search?: string): Promise<number> {
  const { count } = await matching(db, unexpired(now), search, 'owners')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Lets those of these shares that a user owns expire at `expiresAt` (null: never), unless they
 * expire later already or a reverse share sets the time. Reopens expired shares, also received
 * ones. Returns their ids.
 */
export async function extendShares(
  db: Db,
  ids: readonly string[],
  { userId, expiresAt, ...grace }: { userId: string; expiresAt: Date | null } & Grace,
): Promise<string[]> {
  const rows = await db
    .updateTable('share')
    .set({ expiresAt, activeAt: grace.now })
    .where('id', 'in', ids)
    .where(reopenableBy(userId))
    .where('deletedAt', 'is', null)
    .where((eb) => eb.or([eb.and([eb('expiresAt', '>', grace.now), eb('receiverId', 'is', null)]), isInGrace(grace)]))
    .where(sql<boolean>`(${expiresAt}::timestamptz is null or expires_at < ${expiresAt})`)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Returns the owner of a share; undefined for a share without an account. */
export async function ownerOf(
  db: Db,
  ownerId: string | null,
): Promise<{ username: string; email: string; emailVerified: boolean } | undefined> {
  if (ownerId === null) return undefined
  return db.selectFrom('user').select(['username', 'email', 'emailVerified']).where('id', '=', ownerId).executeTakeFirst()
}

/** Returns a condition that is met by shares which haven't expired. */
export function unexpired(now: Date) {
  return (eb: ExpressionBuilder<Database, 'share'>) => eb.or([eb('share.expiresAt', 'is', null), eb('share.expiresAt', '>', now)])
}

/**
 * Selects those shares whose link, name or description contains a text. With `owners`, owners'
 * names match too.
 */
function matching(db: Db, which: ExpressionOrFactory<Database, 'share', SqlBool>, search = '', also?: 'owners') {
  const shares = db.selectFrom('share').where(which)
  const text = search.replaceAll('\0', '').trim()
  if (!text) return shares
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  return shares.where((eb) => {
    const texts = [eb('id', 'ilike', pattern), eb('name', 'ilike', pattern), eb('description', 'ilike', pattern)]
    const owners = eb.selectFrom('user').select('user.id').where('username', 'ilike', pattern)
    // An array is read once, and lets PostgreSQL use indexes for all of it.
    return eb.or(also ? [...texts, sql<boolean>`share.owner_id = any(array(${owners}))`] : texts)
  })
}

/**
 * Selects the shares of one page. Their ids are found first, so that what a list shows beside them
 * is not computed for the shares of the pages before.
 */
function sortedPage(db: Db, query: ReturnType<typeof matching>, { order, by, ...page }: Page & Sorting) {
  const { limit, offset } = rowRangeOf(page)
  const ids = sorted(query.select('share.id'), { by, order }).limit(limit).offset(offset)
  return sorted(db.selectFrom('share').where('share.id', 'in', ids), { by, order })
}

interface Sorting {
  /** Absent: the time of creation. */
  by: RawBuilder<unknown> | undefined
  order: 'asc' | 'desc' | undefined
}

function sorted<O>(query: SelectQueryBuilder<Database, 'share', O>, { by, order = 'desc' }: Sorting) {
  if (!by) return query.orderBy('share.createdAt', order).orderBy('share.id', order === 'asc' ? 'desc' : 'asc')
  return query.orderBy(by, order).orderBy('share.createdAt', 'desc').orderBy('share.id')
}

export interface RowRange {
  limit: number
  offset: number
}

/** Returns the rows of a page: 50, or the first 1,000 if the caller names none. */
export function rowRangeOf({ page, limit }: Pick<Page, 'page' | 'limit'>): RowRange {
  const size = limit ?? (page === undefined ? unpagedLimit : defaultLimit)
  return { limit: size, offset: ((page ?? 1) - 1) * size }
}

function recipientsOf(eb: ExpressionBuilder<Database, 'share'>) {
  return eb
    .selectFrom('shareRecipient')
    .select(sql<string[]>`coalesce(array_agg(email order by created_at, email), '{}')`.as('list'))
    .whereRef('shareRecipient.shareId', '=', 'share.id')
}

/**
 * The preview of a file in SQL, as JSON; null if there is none. It needs the table `preview` in a
 * left join.
 */
export const previewJson =
  "case when preview.object_key is not null then json_build_object('kind', preview.kind, 'width', preview.width, 'height', preview.height) end"

/** A file of a share in SQL, as the JSON of `SharedFile`. It needs the tables of `previewJson`. */
export const fileJson = `json_strip_nulls(json_build_object('id', file.id, 'name', file.name, 'size', file.size::text, 'preview', ${previewJson}))`

/** Selects a share's published files by name, at most `limit`, by default 20. */
export function filesOf(eb: ExpressionBuilder<Database, 'share'>, limit = defaultFiles) {
  const files = eb
    .selectFrom('file')
    .leftJoin('preview', 'preview.fileId', 'file.id')
    .select(['file.id', 'file.name', sql<SharedFile>`${sql.raw(fileJson)}`.as('json')])
    .whereRef('file.shareId', '=', 'share.id')
    .where('file.published', '=', true)
    .orderBy('file.name')
    .orderBy('file.id')
  return eb
    .selectFrom(files.limit(limit).as('listed'))
    .select(sql<SharedFile[]>`coalesce(json_agg(listed.json order by listed.name, listed.id), '[]')`.as('list'))
}

/** Selects the name of a share's first published file by name. */
function firstFileOf(eb: ExpressionBuilder<Database, 'share'>) {
  return eb
    .selectFrom('file')
    .select('file.name')
    .whereRef('file.shareId', '=', 'share.id')
    .where('file.published', '=', true)
    .orderBy('file.name')
    .limit(1)
}

/** Returns the data that a share's title is made from. */
export function titledShare(db: Db, uid: string) {
  return db
    .selectFrom('share')
    .select(['name', 'kind', 'encrypted'])
    .select((eb) => [firstFileOf(eb).as('firstFile'), fileCountOf(eb).as('fileCount')])
    .$narrowType<{ fileCount: number }>()
    .where('uid', '=', uid)
    .executeTakeFirstOrThrow()
}

/** Counts a share's published files. */
export function fileCountOf(eb: ExpressionBuilder<Database, 'share'>) {
  return eb
    .selectFrom('file')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .whereRef('file.shareId', '=', 'share.id')
    .where('file.published', '=', true)
}
