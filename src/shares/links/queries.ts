import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Db, ShareLinkTable } from '../../db/schema.ts'
import { reserveLink, type Share } from '../queries.ts'

export type FurtherLink = Selectable<ShareLinkTable>

/** Returns the further links of a share, the oldest first. */
export function furtherLinks(db: Db, shareId: string): Promise<FurtherLink[]> {
  return db.selectFrom('shareLink').selectAll().where('shareId', '=', shareId).orderBy('createdAt').orderBy('id').execute()
}

/**
 * Returns the id of a share's oldest link that is turned on and has not expired; undefined if there
 * is none.
 */
export async function enabledLink(db: Db, { id, linkEnabled }: Pick<Share, 'id' | 'linkEnabled'>, now: Date): Promise<string | undefined> {
  if (linkEnabled) return id
  return (await furtherLinks(db, id)).find(({ enabled, expiresAt }) => enabled && (expiresAt === null || expiresAt > now))?.id
}

/** Finds a further link of this share. */
export function furtherLink(db: Db, shareId: string, id: string): Promise<FurtherLink | undefined> {
  return db.selectFrom('shareLink').selectAll().where('shareId', '=', shareId).where('id', '=', id).executeTakeFirst()
}

/** Counts the further links of a share. */
export async function countFurtherLinks(db: Db, shareId: string): Promise<number> {
  const { count } = await db
    .selectFrom('shareLink')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('shareId', '=', shareId)
    .executeTakeFirstOrThrow()
  return count
}

/** Inserts a link; returns undefined if its id is taken. Call it in a transaction. */
export async function insertLink(db: Db, link: Insertable<ShareLinkTable>): Promise<FurtherLink | undefined> {
  if (!(await reserveLink(db, link.id))) return undefined
  return db.insertInto('shareLink').values(link).returningAll().executeTakeFirst()
}

/**
 * Gives a link a new id, and invalidates its unlock tokens. Returns undefined if the new id is taken
 * or the link was deleted. Call it in a transaction.
 */
export async function renameLink(db: Db, uid: string, id: string): Promise<FurtherLink | undefined> {
  if (!(await reserveLink(db, id))) return undefined
  return db.updateTable('shareLink').set({ id }).where('uid', '=', uid).returningAll().executeTakeFirst()
}

export type LinkChange = Pick<Updateable<ShareLinkTable>, 'label' | 'passwordHash' | 'expiresAt' | 'maxViews' | 'maxDownloads' | 'enabled'>

/** Updates a link. A new password gets a new version, which invalidates earlier unlock tokens. */
export function changeLink(db: Db, uid: string, change: LinkChange): Promise<FurtherLink | undefined> {
  return db
    .updateTable('shareLink')
    .set({ ...change, passwordVersion: change.passwordHash ? sql`password_version + 1` : sql`password_version` })
    .where('uid', '=', uid)
    .returningAll()
    .executeTakeFirst()
}

/** Deletes a link. */
export async function deleteLink(db: Db, uid: string): Promise<void> {
  await db.deleteFrom('shareLink').where('uid', '=', uid).execute()
}

/** Turns the first link of a share on or off. */
export function enableFirstLink(db: Db, uid: string, linkEnabled: boolean): Promise<Share> {
  return db.updateTable('share').set({ linkEnabled }).where('uid', '=', uid).returningAll().executeTakeFirstOrThrow()
}

/** Selects the reservations of running downloads of a share's first link. */
export function leasesOfFirst(uid: string) {
  return sql<Record<string, unknown>>`(select download_leases from share where uid = ${uid})`
}
