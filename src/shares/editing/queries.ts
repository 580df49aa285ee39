import { type ExpressionBuilder, sql } from 'kysely'
import type { Database, Db } from '../../db/schema.ts'
import type { Share } from '../queries.ts'

// A share that is reopened keeps the files that its visitors see as they are: `removed_at` and `pending_name` say what saving will change, and files that
// were added are not `published` yet. Each of these stands in a transaction that has locked the share.

/** Shows a share's visitors all that was changed; answers how many files are gone. Triggers leave word of their bytes. */
export async function publishChanges(db: Db, shareId: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('file')
    .where('shareId', '=', shareId)
    .where('removedAt', 'is not', null)
    .executeTakeFirst()
  await db
    .updateTable('file')
    .set({ published: true, name: sql`coalesce(pending_name, name)`, pendingName: null })
    .where('shareId', '=', shareId)
    .where((eb) => eb.or([eb('published', '=', false), eb('pendingName', 'is not', null)]))
    .execute()
  return Number(numDeletedRows)
}

/** Forgets what was changed of the files that visitors see. */
export async function discardFileChanges(db: Db, shareId: string): Promise<void> {
  await db
    .updateTable('file')
    .set({ removedAt: null, pendingName: null })
    .where('shareId', '=', shareId)
    .where((eb) => eb.or([eb('removedAt', 'is not', null), eb('pendingName', 'is not', null)]))
    .execute()
}

/** Deletes the files that visitors do not see; answers how many. */
export async function deleteUnpublished(db: Db, shareId: string): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('file').where('shareId', '=', shareId).where('published', '=', false).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Takes uploads again, or ends that; the files that exist are reserved. */
export function setUploadOpen(db: Db, uid: string, uploadOpen: boolean, now: Date): Promise<Share> {
  return db
    .updateTable('share')
    .set((eb) => ({ uploadOpen, activeAt: now, reserved: bytesOf(eb), reservedFiles: countOf(eb) }))
    .where('uid', '=', uid)
    .returningAll()
    .executeTakeFirstOrThrow()
}

function bytesOf(eb: ExpressionBuilder<Database, 'share'>) {
  return eb.selectFrom('file').select(sql<number>`coalesce(sum(file.size), 0)`.as('bytes')).whereRef('file.shareId', '=', 'share.id')
}

function countOf(eb: ExpressionBuilder<Database, 'share'>) {
  return eb.selectFrom('file').select(sql<number>`count(*)::integer`.as('files')).whereRef('file.shareId', '=', 'share.id')
}

/** Makes a received share its receiver's own. */
export function transferToReceiver(db: Db, uid: string): Promise<Share> {
  return db
    .updateTable('share')
    .set((eb) => ({
      ownerId: eb.ref('receiverId'),
      ownerTokenHash: null,
      receiverId: null,
      reverseShareId: null,
      private: false,
      senderChangedAt: null,
      maxSize: null,
    }))
    .where('uid', '=', uid)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The files of a share by the names that they will have, with what becomes of each when it is saved. */
export function editedFiles(db: Db, shareId: string) {
  return db
    .selectFrom('file')
    .select(['id', sql<string>`coalesce(pending_name, name)`.as('name'), sql<string>`size::text`.as('size'), 'published'])
    .select([
      sql<string | null>`case when pending_name is not null then name end`.as('olderName'),
      sql<boolean>`removed_at is not null`.as('removed'),
      sql<boolean>`completed_at is not null`.as('finished'),
    ])
    .where('shareId', '=', shareId)
    .orderBy('name')
    .orderBy('id')
    .execute()
}
