import { sql } from 'kysely'
import type { Reader } from '../db/connect.ts'
import type { Db } from '../db/schema.ts'
import { type PreviewKind, previewTypes } from './kinds.ts'

/** Attempts to make a preview, after which the file has none. */
export const maxAttempts = 3

export interface FoundPreview {
  name: string
  objectKey: string
  size: number
  createdAt: Date
}

/** Finds a picture of a published file of this share. */
export async function previewOf(
  reader: Reader,
  shareId: string,
  fileId: string,
  picture: 'thumbnail' | 'preview',
): Promise<FoundPreview | undefined> {
  const [found] = await reader.query<FoundPreview>(
    'preview',
    `select file.name, preview.object_key || '-' || $3::text as "objectKey",
       case $3::text when 'thumbnail' then thumbnail_size else preview_size end as size, preview.created_at as "createdAt"
     from file join preview on preview.file_id = file.id
     where file.id = $1 and file.share_id = $2 and file.published and preview.object_key is not null`,
    [fileId, shareId, picture],
  )
  return found
}

/** Makes a preview due again because `objectKey` is lost, and deletes its other object. */
export async function renewPreview(db: Db, fileId: string, objectKey: string): Promise<void> {
  await sql`
    with renewed as (
      update preview set object_key = null, attempts = 0, error = null where file_id = ${fileId} and object_key = ${objectKey}
      returning 1
    )
    insert into deleted_object (key)
    select ${objectKey} || picture from renewed, unnest(array['-thumbnail', '-preview']) as picture
    on conflict (key) do nothing`.execute(db)
}

/**
 * Adds rows for the published files that can have a preview, of one share or of up to `limit`
 * shares whose files have changed since the last call. Returns the number of shares.
 */
export async function listPreviews(db: Db, of: { uid: string } | { limit: number }, now: Date): Promise<number> {
  const condition = 'uid' in of ? sql`and uid = ${of.uid}` : sql``
  const { numAffectedRows } = await sql`
    with changed as (
      select uid, id, revision from share
      where completed_at is not null and previewed_revision < revision and (expires_at is null or expires_at > ${now}) ${condition}
      order by uid -- lets PostgreSQL use the index of the few shares without previews
      limit ${'limit' in of ? of.limit : 1} for no key update skip locked
    ), added as (
      insert into preview (file_id, kind)
      select file.id, type.kind from changed join file on file.share_id = changed.id
      join unnest(${previewTypes.extensions}::text[], ${previewTypes.kinds}::text[]) as type (extension, kind)
        on type.extension = lower(substring(file.name from '[.]([A-Za-z0-9]{1,5})$'))
      where file.published and file.size > 0
      on conflict (file_id) do nothing
    )
    update share set previewed_revision = changed.revision from changed where share.uid = changed.uid`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Returns the uids of up to `limit` shares with previews of these kinds that are due. */
export async function sharesWithDuePreviews(
  db: Db,
  { kinds, now, limit }: { kinds: readonly PreviewKind[]; now: Date; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ uid: string }>`
    select share.uid from (
      select file_id, due_at from preview
      where object_key is null and attempts < ${maxAttempts} and due_at <= ${now} and kind = any(${kinds}::text[])
      order by due_at limit 500
    ) due join file on file.id = due.file_id join share on share.id = file.share_id
    where share.expires_at is null or share.expires_at > ${now}
    group by share.uid order by min(due.due_at) limit ${limit}`.execute(db)
  return rows.map(({ uid }) => uid)
}

export interface ClaimedPreview {
  fileId: string
  kind: PreviewKind
  attempts: number
  /** The file in the object store, and its size in bytes. */
  source: string
  size: number
}

/**
 * Claims a due preview of a share until `until`, which counts one attempt. Two workers never get
 * the same.
 */
export async function claimPreview(
  db: Db,
  { shareUid, kinds, now, until }: { shareUid: string; kinds: readonly PreviewKind[]; now: Date; until: Date },
): Promise<ClaimedPreview | undefined> {
  const { rows } = await sql<ClaimedPreview>`
    update preview set attempts = attempts + 1, due_at = ${until}
    from file
    where file.id = preview.file_id and preview.file_id = (
      select preview.file_id from share join file on file.share_id = share.id join preview on preview.file_id = file.id
      where share.uid = ${shareUid} and (share.expires_at is null or share.expires_at > ${now}) and file.published and preview.object_key is null and preview.attempts < ${maxAttempts}
        and preview.due_at <= ${now} and preview.kind = any(${kinds}::text[])
      order by file.name, file.id limit 1 for no key update of preview skip locked
    )
    returning preview.file_id as "fileId", preview.kind, preview.attempts, file.object_key as source, file.size`.execute(db)
  return rows[0]
}

export interface MadePreview {
  objectKey: string
  /** Pixels of the upright picture that it was made of. */
  width: number
  height: number
  /** Bytes. */
  thumbnailSize: number
  previewSize: number
}

/** Records a preview whose objects are stored. Returns false if the file was deleted meanwhile. */
export async function recordPreview(db: Db, fileId: string, made: MadePreview, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('preview')
    .set({ ...made, createdAt: now, error: null })
    .where('fileId', '=', fileId)
    .where('objectKey', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Records why an attempt failed. With `attempts`, sets how many are used; `dueAt` is the next. */
export async function recordFailure(db: Db, fileId: string, failure: { error: string; dueAt: Date; attempts?: number }): Promise<void> {
  await db.updateTable('preview').set(failure).where('fileId', '=', fileId).where('objectKey', 'is', null).execute()
}

/**
 * Deletes the rows of up to `limit` previews, so that previews are created again once they are
 * turned on. A trigger queues their objects for deletion. Returns the number of deleted rows, which
 * is 0 only if no preview is left: locked rows are waited for, in one order, and not skipped.
 */
export async function forgetPreviews(db: Db, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with deleted as (
      delete from preview where file_id in (select file_id from preview order by file_id limit ${limit} for update) returning file_id
    ), renewed as (
      update share set previewed_revision = 0
      where previewed_revision > 0 and id in (select share_id from file where id in (select file_id from deleted))
    )
    select count(*)::integer as count from deleted`.execute(db)
  return rows[0]?.count ?? 0
}
