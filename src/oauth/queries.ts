import { type Selectable, sql } from 'kysely'
import type { Db, SocialLinkTable } from '../db/schema.ts'

export type SocialLink = Selectable<SocialLinkTable>
/** The permanent identifier of a provider's account. */
export type Subject = Pick<SocialLink, 'issuer' | 'subject'>

/** Returns the link of a provider's account; undefined when it is not linked. */
export function linkOf(db: Db, { issuer, subject }: Subject): Promise<SocialLink | undefined> {
  return db.selectFrom('socialLink').selectAll().where('issuer', '=', issuer).where('subject', '=', subject).executeTakeFirst()
}

/** Returns a user's links, the oldest first. */
export function linksOf(db: Db, userId: string): Promise<SocialLink[]> {
  return db.selectFrom('socialLink').selectAll().where('userId', '=', userId).orderBy('createdAt').execute()
}

/** Stores a link. Returns false when the user or the provider's account is already linked. */
export async function insertLink(db: Db, link: Omit<SocialLink, 'id'>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('socialLink')
    .values(link)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Deletes a user's link to a provider and returns whether there was one. */
export async function deleteLink(db: Db, userId: string, provider: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('socialLink')
    .where('userId', '=', userId)
    .where('provider', '=', provider)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/**
 * Locks a provider's account until the transaction ends, so that only one of two concurrent
 * sign-ins creates its link.
 */
export async function lockSubject(transaction: Db, { issuer, subject }: Subject): Promise<void> {
  const key = JSON.stringify([issuer, subject])
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(transaction)
}
