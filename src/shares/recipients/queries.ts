import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

/** Adds addresses to a share; one that it has already, in whatever case, is left out. */
export async function addRecipients(db: Db, shareId: string, emails: string[], now: Date): Promise<void> {
  if (emails.length === 0) return
  const rows = emails.map((email) => ({ shareId, email, emailKey: keyOf(email), createdAt: now }))
  await db
    .insertInto('shareRecipient')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['shareId', 'emailKey']).doNothing())
    .execute()
}

function keyOf(email: string): string {
  return email.normalize('NFC').toLowerCase()
}

export async function countRecipients(db: Db, shareId: string): Promise<number> {
  const { count } = await db
    .selectFrom('shareRecipient')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('shareId', '=', shareId)
    .executeTakeFirstOrThrow()
  return count
}

/** Recipients to whom no e-mail has been written. */
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

/** Notes the e-mail to a recipient, in place of an earlier one. */
export async function recordMail(db: Db, id: string, mailId: string): Promise<void> {
  await db.updateTable('shareRecipient').set({ mailId, outcome: null, error: null, sentAt: null }).where('id', '=', id).execute()
}

/** A share's recipients and what became of the e-mail to each, in the order in which they were added. */
export function recipientsOf(db: Db, shareId: string) {
  return recipients(db).where('shareRecipient.shareId', '=', shareId).orderBy('shareRecipient.createdAt').orderBy('email').execute()
}

/** One recipient of this share, and no other's, locked until the transaction ends. */
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
