import { type Insertable, type Kysely, sql } from 'kysely'
import type { Database, Db, FileTable, ReverseShareTable, ShareTable, UserTable } from '../../db/schema.ts'

/** Returns the ids, names and email addresses of all users. */
export function listUsers(db: Db) {
  return db.selectFrom('user').select(['id', 'usernameKey', 'emailKey']).execute()
}

/** Returns all links to accounts of sign-in providers. */
export function listSocialLinks(db: Db) {
  return db.selectFrom('socialLink').select(['issuer', 'subject', 'userId', 'provider']).execute()
}

/** Returns the ids and links of all reverse shares. */
export function listReverseShares(db: Db) {
  return db.selectFrom('reverseShare').select(['id', 'token']).execute()
}

/** Returns the tokens that reverse shares had before. */
export function listRetiredTokens(db: Db) {
  return db.selectFrom('retiredUploadLink').select('token').execute()
}

/**
 * Returns the links of all shares. If `completedAt` is null, an import may have been interrupted.
 */
export function listShares(db: Db) {
  return db.selectFrom('share').select(['id', 'uid', 'completedAt']).execute()
}

/** Returns the further links of all shares, and links that they had before. */
export function listFurtherLinks(db: Db) {
  return db.selectFrom('shareLink').select('id').unionAll(db.selectFrom('retiredLink').select('id')).execute()
}

/** Inserts a user; false if the id, the name or the email address is taken. */
export async function insertUser(db: Db, user: Insertable<UserTable>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('user')
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Inserts a reverse share; false if its id or its link is taken, or was of another one before. */
export async function insertReverseShare(db: Db, row: Insertable<ReverseShareTable>): Promise<boolean> {
  if (await db.selectFrom('retiredUploadLink').select('token').where('token', '=', row.token).executeTakeFirst()) return false
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('reverseShare')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/**
 * Inserts a share unless its link is taken, or was of another one before. Returns the share that now
 * has the link.
 */
export async function insertShare(db: Db, share: Insertable<ShareTable>) {
  const furtherLinks = db.selectFrom('shareLink').select('id').where('id', '=', share.id)
  const retired = db.selectFrom('retiredLink').select('id').where('id', '=', share.id)
  if (await furtherLinks.unionAll(retired).executeTakeFirst()) return undefined
  await db
    .insertInto('share')
    .values(share)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return db.selectFrom('share').select(['uid', 'completedAt']).where('id', '=', share.id).executeTakeFirst()
}

/** Marks the recipients of a share as notified, because the other product has emailed them. */
export async function markNotified(db: Db, shareId: string, at: Date): Promise<void> {
  await db.updateTable('shareRecipient').set({ outcome: 'sent', sentAt: at, createdAt: at }).where('shareId', '=', shareId).execute()
}

/** Inserts a file unless its id is taken. Returns the file that now has the id. */
export async function insertFile(db: Db, file: Insertable<FileTable> & { id: string }) {
  await db
    .insertInto('file')
    .values(file)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return db.selectFrom('file').select(['shareId', 'completedAt']).where('id', '=', file.id).executeTakeFirst()
}

/** Deletes a file whose copy failed; a trigger queues its object for deletion. */
export async function deleteFile(db: Db, id: string): Promise<void> {
  await db.deleteFrom('file').where('id', '=', id).where('completedAt', 'is', null).execute()
}

/**
 * Runs `work` unless another import runs; then returns null. The lock is held by an open
 * transaction, so that it works through a pooler, and ends with the connection, even after a crash.
 */
export function withImportLock<T>(db: Kysely<Database>, work: () => Promise<T>): Promise<T | null> {
  return db.transaction().execute(async (transaction) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction)
    const { rows } = await sql<{ acquired: boolean }>`select pg_try_advisory_xact_lock(hashtext('razorbill import')) as acquired`.execute(
      transaction,
    )
    return rows[0]?.acquired ? work() : null
  })
}
