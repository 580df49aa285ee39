import { sql } from 'kysely'
import type pg from 'pg'
import type { Reader } from '../../db/connect.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { documentBytesPerFile, documentMaxBytes, documentSpareBytes } from './limits.ts'

/** The longest document that a share of `files` files can have, in bytes. */
export const maxBytesFor = (files: number): number => Math.min(documentMaxBytes, documentSpareBytes + files * documentBytesPerFile)

interface Draft {
  revision: number
  bytes: Buffer
}

/**
 * Stores the next document of a share that is open for uploads. Visitors see it once the share is
 * completed or saved. Returns false if the share is closed, the document is too long for its files,
 * or the revision is not the next one. One statement, so that of two editors only one succeeds.
 */
export async function storeDraft(db: Db, uid: string, { revision, bytes }: Draft): Promise<boolean> {
  const max = sql`least(${documentMaxBytes}::bigint, ${documentSpareBytes} + reserved_files::bigint * ${documentBytesPerFile})`
  const { numAffectedRows } = await sql`
    insert into share_document (share_id, revision, draft)
    select id, ${revision}, ${bytes} from share
    where uid = ${uid} and encrypted and upload_open and deleted_at is null and ${bytes.length} <= ${max}
      and (${revision} = 1 or exists (select from share_document where share_id = share.id))
    for update
    on conflict (share_id) do update set revision = excluded.revision, draft = excluded.draft
      where share_document.revision = excluded.revision - 1`.execute(db)
  return numAffectedRows === 1n
}

/** Returns the revision of a share's last stored document; 0 without one. */
export async function lastRevision(db: Db, shareId: string): Promise<number> {
  const row = await db.selectFrom('shareDocument').select('revision').where('shareId', '=', shareId).executeTakeFirst()
  return row?.revision ?? 0
}

/** Publishes the draft of a share's document, if there is one. Returns false if it has no document. */
export async function publishDraft(db: Db, shareId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('shareDocument')
    .set({ published: sql`coalesce(draft, published)`, draft: null })
    .where('shareId', '=', shareId)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Discards the draft of a share's document. */
export async function discardDraft(db: Db, shareId: string): Promise<void> {
  await db.updateTable('shareDocument').set({ draft: null }).where('shareId', '=', shareId).where('draft', 'is not', null).execute()
}

/**
 * Returns the document of a share for those who edit it: the draft, or else the published one.
 * @throws {AppError} document_not_found
 */
export async function draftOf(db: Db, shareId: string): Promise<Buffer> {
  const row = await db
    .selectFrom('shareDocument')
    .select(sql<Buffer | null>`coalesce(draft, published)`.as('bytes'))
    .where('shareId', '=', shareId)
    .executeTakeFirst()
  if (!row?.bytes) throw new AppError('document_not_found')
  return row.bytes
}

/** Returns the revision of the document that a share's visitors get; undefined without one. */
export async function publishedRevision(reader: Reader, shareId: string): Promise<string | undefined> {
  const [row] = await reader.query<{ revision: string | null }>(
    'published revision',
    `select encode(substring(published from 2 for 4), 'hex') as revision from share_document where share_id = $1`,
    [shareId],
  )
  return row?.revision ?? undefined
}

/**
 * Returns the document of a share for its visitors.
 * @throws {AppError} document_not_found: it has just been deleted
 */
export async function publishedDocument(pool: pg.Pool, shareId: string): Promise<Buffer> {
  const { rows } = await pool.query<{ published: Buffer | null }>('select published from share_document where share_id = $1', [shareId])
  const document = rows[0]?.published
  if (!document) throw new AppError('document_not_found')
  return document
}
