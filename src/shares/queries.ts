import { type ExpressionBuilder, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Database, Db, ShareTable } from '../db/schema.ts'
import type { SharedFile } from './contract.ts'
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
 * Returns whether a link is free for a share or a further link of one, ignoring case. Links that the
 * share `ownId` had before are free for it. Call it in a transaction, until whose end a lock keeps
 * others from taking the link. A unique index can't do that, because older links may differ only in
 * case.
 */
export async function reserveLink(db: Db, id: string, ownId?: string): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('share link'), hashtext(lower(${id})))`.execute(db)
  return !(await isLinkTaken(db, id, { ownId }))
}

/**
 * Returns which of these links are free, like `reserveLink`. They are locked in one order, so that
 * concurrent calls don't wait for each other.
 */
export async function reserveLinks(db: Db, ids: readonly string[]): Promise<Set<string>> {
  await sql`
    select pg_advisory_xact_lock(hashtext('share link'), key)
    from (select distinct hashtext(lower(id)) as key from unnest(${ids}::text[]) as id order by key) keys`.execute(db)
  const { rows } = await sql<{ id: string }>`
    select distinct on (lower(wanted.id)) wanted.id from unnest(${ids}::text[]) as wanted (id)
    where not exists(select from share where lower(share.id) = lower(wanted.id))
      and not exists(select from share_link where lower(share_link.id) = lower(wanted.id))
      and not exists(select from retired_link where lower(retired_link.id) = lower(wanted.id))`.execute(db)
  return new Set(rows.map(({ id }) => id))
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
 * Whether a link is in use or was replaced or deleted, ignoring case. With `grace`, expired shares
 * don't count unless they can be reopened or restored. Earlier links of the share `ownId` don't
 * count.
 */
export async function isLinkTaken(
  db: Db,
  id: string,
  { grace, ownId }: { grace?: Grace; ownId?: string | undefined } = {},
): Promise<boolean> {
  const shares = db.selectFrom('share').select('id').where(sameLink(id))
  const firstLinks = grace ? shares.where((eb) => eb.not(isShareOver(grace))) : shares
  const furtherLinks = db.selectFrom('shareLink').select('id').where(sameLink(id))
  const retired = db
    .selectFrom('retiredLink')
    .select('id')
    .where(sameLink(id))
    .where(sql<boolean>`share_id is distinct from ${ownId ?? null}::text`)
  return (await firstLinks.unionAll(furtherLinks).unionAll(retired).limit(1).executeTakeFirst()) !== undefined
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
  | 'verifyRecipients'
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
): Promise<{ username: string; email: string; emailVerified: boolean; language: string | null } | undefined> {
  if (ownerId === null) return undefined
  return db.selectFrom('user').select(['username', 'email', 'emailVerified', 'language']).where('id', '=', ownerId).executeTakeFirst()
}

/** Returns a condition that is met by shares which haven't expired. */
export function unexpired(now: Date) {
  return (eb: ExpressionBuilder<Database, 'share'>) => eb.or([eb('share.expiresAt', 'is', null), eb('share.expiresAt', '>', now)])
}

/**
 * The preview of a file in SQL, as JSON; null if there is none. It needs the table `preview` in a
 * left join.
 */
export const previewJson =
  "case when preview.object_key is not null then json_build_object('kind', preview.kind, 'width', preview.width, 'height', preview.height) end"

/** A file of a share in SQL, as the JSON of `SharedFile`. It needs the tables of `previewJson`. */
export const fileJson = `json_strip_nulls(json_build_object('id', file.id, 'name', file.name, 'size', file.size::text, 'preview', ${previewJson}))`

const defaultFiles = 20 // files listed for each share, unless the caller names a number

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
export function firstFileOf(eb: ExpressionBuilder<Database, 'share'>) {
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
