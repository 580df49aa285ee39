import { type ExpressionBuilder, type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Database, Db, ShareLinkTable } from '../../db/schema.ts'
import { reserveLink, reserveLinks, type Share } from '../queries.ts'
import { retireLink, reuseLink } from './retired.ts'

/** A further link, with the email address of the recipient that it belongs to. */
export type FurtherLink = Selectable<ShareLinkTable> & { recipient: string | null }

function recipientOf(eb: ExpressionBuilder<Database, 'shareLink'>) {
  return eb.selectFrom('shareRecipient').select('email').whereRef('shareRecipient.id', '=', 'shareLink.recipientId').as('recipient')
}

/** Returns the further links of a share, the oldest first, and those of recipients by their address. */
export function furtherLinks(db: Db, shareId: string): Promise<FurtherLink[]> {
  return db
    .selectFrom('shareLink')
    .selectAll()
    .select(recipientOf)
    .where('shareId', '=', shareId)
    .orderBy('createdAt')
    .orderBy('recipient')
    .orderBy('id')
    .execute()
}

/**
 * Returns the id of a share's oldest link that is turned on and has not expired, and belongs to no
 * recipient; undefined if there is none.
 */
export async function enabledLink(db: Db, { id, linkEnabled }: Pick<Share, 'id' | 'linkEnabled'>, now: Date): Promise<string | undefined> {
  if (linkEnabled) return id
  return (await furtherLinks(db, id)).find((link) => link.recipientId === null && isUsable(link, now))?.id
}

/** Returns whether a link is turned on and has not expired. */
export function isUsable({ enabled, expiresAt }: Pick<FurtherLink, 'enabled' | 'expiresAt'>, now: Date): boolean {
  return enabled && (expiresAt === null || expiresAt > now)
}

/** Finds a further link of this share. */
export function furtherLink(db: Db, shareId: string, id: string): Promise<FurtherLink | undefined> {
  return db.selectFrom('shareLink').selectAll().select(recipientOf).where('shareId', '=', shareId).where('id', '=', id).executeTakeFirst()
}

/** Counts the further links of a share, without those of its recipients. */
export async function countFurtherLinks(db: Db, shareId: string): Promise<number> {
  const { count } = await db
    .selectFrom('shareLink')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('shareId', '=', shareId)
    .where('recipientId', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Inserts a link; returns undefined if its id is taken. Call it in a transaction. */
export async function insertLink(db: Db, link: Insertable<ShareLinkTable>): Promise<FurtherLink | undefined> {
  if (!(await reserveLink(db, link.id, link.shareId))) return undefined
  await reuseLink(db, link.id)
  return db.insertInto('shareLink').values(link).returningAll().returning(recipientOf).executeTakeFirst()
}

/**
 * Inserts those of these links of recipients whose id is free and whose recipient has none yet. Call
 * it in a transaction.
 */
export async function insertRecipientLinks(db: Db, links: readonly Insertable<ShareLinkTable>[]): Promise<void> {
  const free = await reserveLinks(
    db,
    links.map(({ id }) => id),
  )
  const rows = links.filter(({ id }) => free.has(id))
  if (rows.length === 0) return
  await db
    .insertInto('shareLink')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Gives a link a new id, and invalidates its unlock tokens. The old id stays reserved. Returns
 * undefined if the new id is taken or the link was deleted. Call it in a transaction that has locked
 * the share.
 */
export async function renameLink(db: Db, link: Pick<FurtherLink, 'uid' | 'shareId'>, id: string): Promise<FurtherLink | undefined> {
  if (!(await reserveLink(db, id, link.shareId))) return undefined
  await retireLink(db, link)
  await reuseLink(db, id)
  return db.updateTable('shareLink').set({ id }).where('uid', '=', link.uid).returningAll().returning(recipientOf).executeTakeFirst()
}

export type LinkChange = Pick<
  Updateable<ShareLinkTable>,
  'label' | 'verifyEmail' | 'passwordHash' | 'expiresAt' | 'maxViews' | 'maxDownloads' | 'enabled'
>

/** Updates a link. A new password gets a new version, which invalidates earlier unlock tokens. */
export function changeLink(db: Db, uid: string, change: LinkChange): Promise<FurtherLink | undefined> {
  return db
    .updateTable('shareLink')
    .set({ ...change, passwordVersion: change.passwordHash ? sql`password_version + 1` : sql`password_version` })
    .where('uid', '=', uid)
    .returningAll()
    .returning(recipientOf)
    .executeTakeFirst()
}

type FollowedRules = Pick<Share, 'id' | 'passwordHash' | 'maxViews' | 'maxDownloads' | 'verifyRecipients'>

/**
 * Changes those rules of the recipients' links that are the same as those of their share were before,
 * to what they are now. All of these links get the share's choice of codes by email, if it changed.
 */
export async function changeRecipientLinks(db: Db, before: FollowedRules, { passwordHash, maxViews, maxDownloads, ...now }: FollowedRules) {
  const isSame = sql`password_hash is not distinct from ${before.passwordHash}::text`
  const isNewPassword = passwordHash !== null && passwordHash !== before.passwordHash
  await db
    .updateTable('shareLink')
    .set({
      passwordHash: sql`case when ${isSame} then ${passwordHash}::text else password_hash end`,
      passwordVersion: sql`password_version + case when ${isSame} and ${isNewPassword}::boolean then 1 else 0 end`,
      maxViews: sql`case when max_views is not distinct from ${before.maxViews}::integer then ${maxViews}::integer else max_views end`,
      maxDownloads: sql`case when max_downloads is not distinct from ${before.maxDownloads}::integer
        then ${maxDownloads}::integer else max_downloads end`,
      ...(now.verifyRecipients !== before.verifyRecipients && { verifyEmail: now.verifyRecipients }),
    })
    .where('shareId', '=', now.id)
    .where('recipientId', 'is not', null)
    .execute()
}

/** Deletes a link, whose id stays reserved. Call it in a transaction that has locked the share. */
export async function deleteLink(db: Db, link: Pick<FurtherLink, 'uid' | 'shareId'>): Promise<void> {
  await retireLink(db, link)
  await db.deleteFrom('shareLink').where('uid', '=', link.uid).execute()
}

/** Turns the first link of a share on or off. */
export function enableFirstLink(db: Db, uid: string, linkEnabled: boolean): Promise<Share> {
  return db.updateTable('share').set({ linkEnabled }).where('uid', '=', uid).returningAll().executeTakeFirstOrThrow()
}

/** Selects the reservations of running downloads of a share's first link. */
export function leasesOfFirst(uid: string) {
  return sql<Record<string, unknown>>`(select download_leases from share where uid = ${uid})`
}
