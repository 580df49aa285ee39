import { type Insertable, sql } from 'kysely'
import type { Db, MailTable } from '../db/schema.ts'

// States: queued → sending → sent or failed, or back to queued.
// Only the worker that moved a row to `sending` may send its email.

export async function insertMail(db: Db, mail: Insertable<MailTable>): Promise<void> {
  await db.insertInto('mail').values(mail).execute()
}

/**
 * Claims a queued email for sending; undefined if it isn't queued, has expired or was deleted with
 * its share.
 * One statement, so only one of two workers gets it.
 */
export function claimMail(db: Db, id: string, now: Date) {
  return db
    .updateTable('mail')
    .set((eb) => ({ state: 'sending', claimedAt: now, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]))
    .where((eb) =>
      eb.not(
        eb.exists(eb.selectFrom('share').select('uid').whereRef('share.id', '=', 'mail.shareId').where('share.deletedAt', 'is not', null)),
      ),
    )
    .returning(['id', 'kind', 'recipient', 'replyTo', 'subject', 'body', 'attempts', 'createdAt', 'language'])
    .executeTakeFirst()
}

/** Marks an email as sent and deletes its body. */
export async function markSent(db: Db, id: string, now: Date): Promise<void> {
  await db
    .updateTable('mail')
    .set({ state: 'sent', sentAt: now, body: null, error: null, claimedAt: null })
    .where('id', '=', id)
    .where('state', '=', 'sending')
    .execute()
}

/** Marks an email as failed. It is sent again only on request. */
export async function markFailed(db: Db, id: string, error: string): Promise<void> {
  await db
    .updateTable('mail')
    .set({ state: 'failed', error, claimedAt: null })
    .where('id', '=', id)
    .where('state', '=', 'sending')
    .execute()
}

/** Queues an email again after a failed attempt, to be sent at `dueAt`. */
export async function markWaiting(db: Db, id: string, error: string, dueAt: Date): Promise<void> {
  await db
    .updateTable('mail')
    .set({ state: 'queued', error, dueAt, claimedAt: null })
    .where('id', '=', id)
    .where('state', '=', 'sending')
    .execute()
}

/**
 * Returns up to `limit` queued emails that are due, those that expire first, and makes them due
 * again at `next`.
 */
export function claimDueMails(db: Db, { now, next, limit }: { now: Date; next: Date; limit: number }) {
  return db
    .updateTable('mail')
    .set({ dueAt: next })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('mail')
        .select('id')
        .where('state', '=', 'queued')
        .where('dueAt', '<=', now)
        .orderBy('expiresAt') // nulls last
        .orderBy('dueAt')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['id', 'expiresAt'])
    .execute()
}

/** Deletes the emails with earlier codes of a link that were not sent yet. */
export async function deleteWaitingCodes(db: Db, linkUid: string): Promise<void> {
  await db.deleteFrom('mail').where('linkUid', '=', linkUid).where('state', '=', 'queued').execute()
}

/** Deletes up to `limit` emails that have expired. Returns their number. */
export async function deleteExpiredMails(db: Db, now: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('mail')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('mail')
        .select('id')
        .where('expiresAt', '<=', now)
        .where('state', '<>', 'sending')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/**
 * Marks emails as failed that a worker claimed before `before` and never finished. Returns their
 * number. They may have been delivered, and no email is sent twice.
 */
export async function failInterrupted(db: Db, before: Date, error: string): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('mail')
    .set({ state: 'failed', error, claimedAt: null })
    .where('state', '=', 'sending')
    .where('claimedAt', '<', before)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Makes all queued emails due now, because the mail server's settings have changed. */
export async function expediteMails(db: Db, now: Date): Promise<void> {
  await db.updateTable('mail').set({ dueAt: now }).where('state', '=', 'queued').where('dueAt', '>', now).execute()
}

/** Queues a failed email again; false if it hasn't failed or its body was deleted. */
export async function requeueMail(db: Db, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('mail')
    .set({ state: 'queued', dueAt: now, createdAt: now, error: null })
    .where('id', '=', id)
    .where('state', '=', 'failed')
    .where('body', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Deletes an email unless it was sent, or is being sent now. */
export async function deleteUnsentMail(db: Db, id: string): Promise<void> {
  await db.deleteFrom('mail').where('id', '=', id).where('state', 'in', ['queued', 'failed']).execute()
}

/** Deletes the emails about a share to one of its recipients like `deleteUnsentMail`. */
export async function deleteUnsentMailsTo(db: Db, shareId: string, recipient: string): Promise<void> {
  await db
    .deleteFrom('mail')
    .where('shareId', '=', shareId)
    .where('recipient', '=', recipient)
    .where('kind', 'in', ['shareRecipients', 'recipientReminder'])
    .where('state', 'in', ['queued', 'failed'])
    .execute()
}

/** Deletes up to `limit` sent and failed emails created before `before`. Returns their number. */
export async function deleteOldMails(db: Db, before: Date, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('mail')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('mail')
        .select('id')
        .where('createdAt', '<', before)
        .where('state', 'in', ['sent', 'failed'])
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Counts the waiting and failed emails, and returns the last error of a waiting one. */
export function mailState(db: Db) {
  return db
    .selectFrom('mail')
    .where('state', 'in', ['queued', 'sending', 'failed'])
    .select((eb) => [
      eb.fn.countAll<number>().filterWhere('state', '<>', 'failed').as('waiting'),
      eb.fn.countAll<number>().filterWhere('state', '=', 'failed').as('failed'),
      sql<string | null>`(array_agg(error order by due_at desc) filter (where state = 'queued' and error is not null))[1]`.as('lastError'),
    ])
    .executeTakeFirstOrThrow()
}
