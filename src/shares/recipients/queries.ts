import { sql } from 'kysely'
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

/** Returns a share's recipients in the order they were added, with the state of their emails. */
export function recipientsOf(db: Db, shareId: string) {
  return recipients(db).where('shareRecipient.shareId', '=', shareId).orderBy('shareRecipient.createdAt').orderBy('email').execute()
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
