import { type ExpressionBuilder, sql } from 'kysely'
import type { Database, Db } from '../../db/schema.ts'
import type { FilePreview } from '../contract.ts'
import { previewJson, type Share } from '../queries.ts'

// While a share is edited, its published files stay as visitors see them: `removed_at` and
// `pending_name` record what saving will change, and added files are not `published` yet. Every
// function here that writes must run in a transaction that has locked the share.

/**
 * Publishes all changes of a share's files, in its next revision. Returns the number of deleted files; triggers queue
 * their objects for deletion.
 */
export async function publishChanges(db: Db, shareId: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('file')
    .where('shareId', '=', shareId)
    .where('removedAt', 'is not', null)
    .executeTakeFirst()
  await db
    .updateTable('file')
    .set({
      published: true,
      publishedRevision: sql`case when published then published_revision else (select revision + 1 from share where share.id = share_id) end`,
      name: sql`coalesce(pending_name, name)`,
      pendingName: null,
    })
    .where('shareId', '=', shareId)
    .where((eb) => eb.or([eb('published', '=', false), eb('pendingName', 'is not', null)]))
    .execute()
  return Number(numDeletedRows)
}

/** Discards the unsaved removals and new names of published files. */
export async function discardFileChanges(db: Db, shareId: string): Promise<void> {
  await db
    .updateTable('file')
    .set({ removedAt: null, pendingName: null })
    .where('shareId', '=', shareId)
    .where((eb) => eb.or([eb('removedAt', 'is not', null), eb('pendingName', 'is not', null)]))
    .execute()
}

/** Deletes the unpublished files of a share. Returns their number. */
export async function deleteUnpublished(db: Db, shareId: string): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('file').where('shareId', '=', shareId).where('published', '=', false).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Opens or closes a share for uploads. The existing files count as reserved. */
export function setUploadOpen(db: Db, uid: string, uploadOpen: boolean, now: Date): Promise<Share> {
  return db
    .updateTable('share')
    .set((eb) => ({ uploadOpen, activeAt: now, reserved: bytesOf(eb), reservedFiles: countOf(eb), reservedNameBytes: nameBytesOf(eb) }))
    .where('uid', '=', uid)
    .returningAll()
    .executeTakeFirstOrThrow()
}

function bytesOf(eb: ExpressionBuilder<Database, 'share'>) {
  return eb.selectFrom('file').select(sql<number>`coalesce(sum(file.size), 0)`.as('bytes')).whereRef('file.shareId', '=', 'share.id')
}

function nameBytesOf(eb: ExpressionBuilder<Database, 'share'>) {
  const bytes = sql<number>`coalesce(sum(octet_length(file.name)), 0)::integer`
  return eb.selectFrom('file').select(bytes.as('nameBytes')).whereRef('file.shareId', '=', 'share.id')
}

function countOf(eb: ExpressionBuilder<Database, 'share'>) {
  return eb.selectFrom('file').select(sql<number>`count(*)::integer`.as('files')).whereRef('file.shareId', '=', 'share.id')
}

/** Makes the receiver of a share its owner. A private share stays private unless `publicAccess`. */
export function transferToReceiver(db: Db, uid: string, publicAccess: boolean): Promise<Share> {
  return db
    .updateTable('share')
    .set((eb) => ({
      ownerId: eb.ref('receiverId'),
      ownerTokenHash: null,
      receiverId: null,
      reverseShareId: null,
      ...(publicAccess && { private: false }),
      senderChangedAt: null,
      maxSize: null,
    }))
    .where('uid', '=', uid)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Returns the files of a share by their future names, with what saving will change. */
export function editedFiles(db: Db, shareId: string) {
  return db
    .selectFrom('file')
    .leftJoin('preview', 'preview.fileId', 'file.id')
    .select(['id', sql<string>`coalesce(pending_name, name)`.as('name'), sql<string>`size::text`.as('size'), 'published'])
    .select([
      sql<string | null>`case when pending_name is not null then name end`.as('olderName'),
      sql<boolean>`removed_at is not null`.as('removed'),
      sql<boolean>`completed_at is not null`.as('finished'),
      sql<FilePreview | null>`${sql.raw(previewJson)}`.as('preview'),
    ])
    .where('shareId', '=', shareId)
    .orderBy('name')
    .orderBy('id')
    .execute()
}
