import { sql } from 'kysely'
import { downloadsOf, hasFetchedAll, publishedFiles } from '../../activity/fetched.ts'
import type { Db } from '../../db/schema.ts'
import { emailKeyOf } from '../../mail/email-key.ts'

/** Adds recipients to a share. Skips addresses that it already has, ignoring case. */
export async function addRecipients(db: Db, shareId: string, emails: string[], now: Date): Promise<void> {
  if (emails.length === 0) return
  const rows = emails.map((email) => ({ shareId, email, emailKey: emailKeyOf(email), createdAt: now }))
  await db
    .insertInto('shareRecipient')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['shareId', 'emailKey']).doNothing())
    .execute()
}

/** Returns the recipient of a share who has this address, ignoring case. */
export function recipientWith(db: Db, shareId: string, email: string): Promise<{ id: string; email: string }> {
  return db
    .selectFrom('shareRecipient')
    .select(['id', 'email'])
    .where('shareId', '=', shareId)
    .where('emailKey', '=', emailKeyOf(email))
    .executeTakeFirstOrThrow()
}

export async function countRecipients(db: Db, shareId: string): Promise<number> {
  const { count } = await db
    .selectFrom('shareRecipient')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('shareId', '=', shareId)
    .executeTakeFirstOrThrow()
  return count
}

/** Returns the recipients without an email. */
export function unnotifiedRecipients(db: Db, shareId: string) {
  return db
    .selectFrom('shareRecipient')
    .select(['id', 'email'])
    .where('shareId', '=', shareId)
    .where('mailId', 'is', null)
    .where('outcome', 'is', null)
    .orderBy('email')
    .execute()
}

/** Records the email to a recipient and replaces the state of an earlier one. */
export async function recordMail(db: Db, id: string, mailId: string): Promise<void> {
  await db.updateTable('shareRecipient').set({ mailId, outcome: null, error: null, sentAt: null }).where('id', '=', id).execute()
}

/**
 * Returns a share's recipients in the order they were added, with the state of their emails, their
 * links, and what they have opened and downloaded.
 */
export function recipientsOf(db: Db, shareId: string) {
  return recipients(db)
    .innerJoin('share', 'share.id', 'shareRecipient.shareId')
    .leftJoin('shareLink', 'shareLink.recipientId', 'shareRecipient.id')
    .innerJoin(publishedFiles.as('files'), (join) => join.onTrue())
    .innerJoin(downloadsOf('complete').as('got'), (join) => join.onTrue())
    .select(['shareLink.id as link', 'openedAt', 'isHandedOut'])
    .select([
      sql<boolean>`coalesce(share_link.verify_email, false)`.as('verifyEmail'),
      sql<number>`coalesce(share_link.downloads, 0)`.as('downloads'),
      sql<boolean>`downloaded_at is not null`.as('hasSome'),
      sql<Date | null>`case when share.kind = 'text' then opened_at else downloaded_at end`.as('downloadedAt'),
      hasFetchedAll('complete').as('hasAll'),
    ])
    .where('shareRecipient.shareId', '=', shareId)
    .orderBy('shareRecipient.createdAt')
    .orderBy('email')
    .execute()
}

/** Locks a recipient of this share until the transaction ends, and returns it. */
export function lockRecipient(db: Db, shareId: string, id: string) {
  return recipients(db)
    .where('shareRecipient.shareId', '=', shareId)
    .where('shareRecipient.id', '=', id)
    .forUpdate('shareRecipient')
    .executeTakeFirst()
}

function recipients(db: Db) {
  return db
    .selectFrom('shareRecipient')
    .leftJoin('mail', 'mail.id', 'shareRecipient.mailId')
    .select(['shareRecipient.id', 'shareRecipient.email', 'mailId'])
    .select([
      sql<'waiting' | 'queued' | 'sending' | 'sent' | 'failed'>`coalesce(mail.state, outcome, 'waiting')`.as('state'),
      sql<string | null>`coalesce(mail.error, share_recipient.error)`.as('error'),
      sql<Date | null>`coalesce(mail.sent_at, share_recipient.sent_at)`.as('sentAt'),
    ])
}

/** Deletes a recipient of a share, with their link. */
export async function deleteRecipient(db: Db, id: string): Promise<void> {
  await db.deleteFrom('shareRecipient').where('id', '=', id).execute()
}

/** Returns the links of these recipients by the recipients' ids. */
export async function linksOfRecipients(db: Db, ids: readonly string[]): Promise<Map<string, RecipientLink>> {
  const links = await db
    .selectFrom('shareLink')
    .select(['id', 'uid', 'enabled', 'expiresAt', 'recipientId'])
    .where('recipientId', 'in', ids)
    .execute()
  return new Map(links.map(({ recipientId, ...link }) => [String(recipientId), link]))
}

/** A recipient's own link. */
export interface RecipientLink {
  id: string
  uid: string
  enabled: boolean
  expiresAt: Date | null
}
