import { type Insertable, type Kysely, sql } from 'kysely'
import type { Database, Db, FileTable, ReverseShareTable, ShareTable, UserTable } from '../db/schema.ts'

/** Ids, names and addresses that are taken by users. */
export function knownUsers(db: Db) {
  return db.selectFrom('user').select(['id', 'usernameKey', 'emailKey']).execute()
}

/** Accounts elsewhere that are linked already, and to whom. */
export function knownLinks(db: Db) {
  return db.selectFrom('socialLink').select(['issuer', 'subject', 'userId', 'provider']).execute()
}

/** Ids and links that are taken by reverse shares. */
export function knownReverseShares(db: Db) {
  return db.selectFrom('reverseShare').select(['id', 'token']).execute()
}

/** Links that are taken, and by which making of a share; `completedAt` null: its import was cut off. */
export function knownShares(db: Db) {
  return db.selectFrom('share').select(['id', 'uid', 'completedAt']).execute()
}

/** Inserts a user; false when the id, the name or the address is taken. */
export async function insertUser(db: Db, user: Insertable<UserTable>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('user')
    .values(user)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Inserts a reverse share; false when its id or its link is taken. */
export async function insertReverseShare(db: Db, row: Insertable<ReverseShareTable>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('reverseShare')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Inserts a share unless its link is taken; answers who has the link now. */
export async function insertShare(db: Db, share: Insertable<ShareTable>) {
  await db
    .insertInto('share')
    .values(share)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return db.selectFrom('share').select(['uid', 'completedAt']).where('id', '=', share.id).executeTakeFirst()
}

/** Notes that recipients have had their e-mail, from Pingvin. */
export async function markNotified(db: Db, shareId: string, at: Date): Promise<void> {
  await db.updateTable('shareRecipient').set({ outcome: 'sent', sentAt: at, createdAt: at }).where('shareId', '=', shareId).execute()
}

/** Inserts a file unless its id is taken; answers whose the id is now, and whether its bytes have come. */
export async function insertFile(db: Db, file: Insertable<FileTable> & { id: string }) {
  await db
    .insertInto('file')
    .values(file)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return db.selectFrom('file').select(['shareId', 'completedAt']).where('id', '=', file.id).executeTakeFirst()
}

/** Runs `work` while no other import runs; answers null when one does. The lock goes with the connection, however that ends. */
export function withImportLock<T>(db: Kysely<Database>, work: () => Promise<T>): Promise<T | null> {
  return db.connection().execute(async (connection) => {
    const { rows } = await sql<{ alone: boolean }>`select pg_try_advisory_lock(hashtext('razorbill import')) as alone`.execute(connection)
    if (!rows[0]!.alone) return null
    try {
      return await work()
    } finally {
      await sql`select pg_advisory_unlock(hashtext('razorbill import'))`.execute(connection)
    }
  })
}
