import { type Selectable, sql } from 'kysely'
import type { Db, SocialLinkTable } from '../db/schema.ts'

export type SocialLink = Selectable<SocialLinkTable>
/** Who somebody is to a provider, for good. */
export type Subject = Pick<SocialLink, 'issuer' | 'subject'>

/** The link of a provider's account; undefined when it has none. */
export function linkOf(db: Db, { issuer, subject }: Subject): Promise<SocialLink | undefined> {
  return db.selectFrom('socialLink').selectAll().where('issuer', '=', issuer).where('subject', '=', subject).executeTakeFirst()
}

/** The links of a user. */
export function linksOf(db: Db, userId: string): Promise<SocialLink[]> {
  return db.selectFrom('socialLink').selectAll().where('userId', '=', userId).orderBy('createdAt').execute()
}

/** Stores a link; false when the user has one with this provider already, or the provider's account has one. */
export async function insertLink(db: Db, link: Omit<SocialLink, 'id'>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('socialLink')
    .values(link)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Deletes a user's link with a provider; false when there is none. */
export async function deleteLink(db: Db, userId: string, provider: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('socialLink')
    .where('userId', '=', userId)
    .where('provider', '=', provider)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Makes others that come with the same account of a provider wait until this transaction has ended: of two at once, one makes the link. */
export async function lockSubject(transaction: Db, { issuer, subject }: Subject): Promise<void> {
  const key = JSON.stringify([issuer, subject])
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(transaction)
}
