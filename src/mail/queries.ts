import { type Insertable, sql } from 'kysely'
import type { Db, MailTable } from '../db/schema.ts'

// queued → sending → sent or failed, or back to queued. Only who has moved a row to `sending` may send it.

export async function insertMail(db: Db, mail: Insertable<MailTable>): Promise<void> {
  await db.insertInto('mail').values(mail).execute()
}

/** Takes a waiting e-mail for sending; undefined when it was sent, is being sent, or is gone. One statement: of two workers one gets it. */
export function claimMail(db: Db, id: string, now: Date) {
  return db
    .updateTable('mail')
    .set((eb) => ({ state: 'sending', claimedAt: now, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .returning(['id', 'recipient', 'subject', 'body', 'attempts', 'createdAt'])
    .executeTakeFirst()
}

/** It has gone; its body is not kept. */
export async function markSent(db: Db, id: string, now: Date): Promise<void> {
  await db
    .updateTable('mail')
    .set({ state: 'sent', sentAt: now, body: null, error: null, claimedAt: null })
    .where('id', '=', id)
    .where('state', '=', 'sending')
    .execute()
}

/** It will not go, unless an administrator wants it tried again. */
export async function markFailed(db: Db, id: string, error: string): Promise<void> {
  await db
    .updateTable('mail')
    .set({ state: 'failed', error, claimedAt: null })
    .where('id', '=', id)
    .where('state', '=', 'sending')
    .execute()
}

/** It did not go and waits until `dueAt`. */
export async function markWaiting(db: Db, id: string, error: string, dueAt: Date): Promise<void> {
  await db
    .updateTable('mail')
    .set({ state: 'queued', error, dueAt, claimedAt: null })
    .where('id', '=', id)
    .where('state', '=', 'sending')
    .execute()
}

/** Takes up to `limit` waiting e-mails whose time has come, to be handed in again; they are due again at `next`. */
export async function claimDueMails(db: Db, { now, next, limit }: { now: Date; next: Date; limit: number }): Promise<string[]> {
  const due = await db
    .updateTable('mail')
    .set({ dueAt: next })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('mail')
        .select('id')
        .where('state', '=', 'queued')
        .where('dueAt', '<=', now)
        .orderBy('dueAt')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning('id')
    .execute()
  return due.map(({ id }) => id)
}

/** Gives up e-mails whose worker died while it was sending them: they may have arrived, and nothing is sent twice. Answers how many. */
export async function failInterrupted(db: Db, before: Date, error: string): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('mail')
    .set({ state: 'failed', error, claimedAt: null })
    .where('state', '=', 'sending')
    .where('claimedAt', '<', before)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Lets every waiting e-mail be tried at once: the settings of the mail server have changed. */
export async function expediteMails(db: Db, now: Date): Promise<void> {
  await db.updateTable('mail').set({ dueAt: now }).where('state', '=', 'queued').where('dueAt', '>', now).execute()
}

/** Has a failed e-mail tried once more; false when it is not one, or its body is gone. */
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

/** Deletes up to `limit` e-mails that were sent or given up before `before`; answers how many. */
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

/** What became of a share's e-mails, in the order of their making; one address may have had several. */
export function mailsOfShare(db: Db, shareId: string) {
  return db
    .selectFrom('mail')
    .select(['id', 'kind', 'recipient', 'state', 'error', 'createdAt', 'sentAt'])
    .where('shareId', '=', shareId)
    .orderBy('createdAt')
    .orderBy('recipient')
    .execute()
}

/** How many e-mails wait and have failed, and why the last try of a waiting one did. */
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
