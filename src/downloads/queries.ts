import { sql } from 'kysely'
import type { Reader } from '../db/connect.ts'
import type { Db } from '../db/schema.ts'
import type { SharedFile } from '../shares/contract.ts'
import { previewJson } from '../shares/queries.ts'

/** The data of a completed share that decides who may see it. */
export interface ShareAccess {
  id: string
  uid: string
  ownerId: string | null
  ownerTokenHash: string | null
  name: string | null
  passwordHash: string | null
  passwordVersion: number
  expiresAt: Date | null
  removedReason: string | null
  /** The owner of the reverse share through which it was sent. */
  receiverId: string | null
  /** Whether only the sender and the recipient may see it. */
  private: boolean
  /** Whether one more visit is allowed. */
  viewsLeft: boolean
  /** Whether the number of visits is limited. */
  viewsLimited: boolean
  revision: number
  /** When the visible content last changed. */
  completedAt: Date
  zipState: 'none' | 'preparing' | 'ready' | 'failed'
  zipProgress: number
  zipSize: number | null
}

const visible = 'completed_at is not null and (expires_at is null or expires_at > $2)'

/** Finds a completed, unexpired share, without its files. */
export async function shareAccessOf(reader: Reader, id: string, now: Date): Promise<ShareAccess | undefined> {
  const [access] = await reader.query<ShareAccess>(
    'share access',
    `select id, uid, owner_id as "ownerId", owner_token_hash as "ownerTokenHash", name, password_hash as "passwordHash",
       password_version as "passwordVersion", expires_at as "expiresAt", removed_reason as "removedReason",
       receiver_id as "receiverId", private,
       max_views is null or views < max_views as "viewsLeft", max_views is not null as "viewsLimited", revision, coalesce(published_at, completed_at) as "completedAt",
       zip_state as "zipState", zip_progress as "zipProgress", zip_size as "zipSize"
     from share where id = $1 and ${visible}`,
    [id, now],
  )
  return access
}

/** A share with everything that its visitors see. */
export interface VisibleShare
  extends Pick<ShareAccess, 'id' | 'uid' | 'name' | 'passwordVersion' | 'expiresAt' | 'removedReason' | 'private'> {
  description: string | null
  hasPassword: boolean
  /** Whether the number of visits is limited. */
  viewsLimited: boolean
  size: number
  creator: { username: string } | null
  files: SharedFile[]
  kind: 'files' | 'text'
}

/**
 * Finds a completed, unexpired share with its files, ordered by name. The most frequent read, so
 * one statement builds the response.
 */
export async function findVisibleShare(reader: Reader, id: string, now: Date): Promise<VisibleShare | undefined> {
  const [share] = await reader.query<VisibleShare>(
    'open share',
    `select id, uid, name, description, password_version as "passwordVersion", password_hash is not null as "hasPassword", max_views is not null as "viewsLimited",
       expires_at as "expiresAt", removed_reason as "removedReason", private, size, kind,
       (select json_build_object('username', username) from "user" where "user".id = owner_id) as creator,
       (select coalesce(json_agg(json_strip_nulls(json_build_object('id', file.id, 'name', file.name, 'size', file.size::text, 'preview', ${previewJson}))
          order by file.name, file.id), '[]')
        from file left join preview on preview.file_id = file.id
        where file.share_id = share.id and file.published) as files
     from share where id = $1 and ${visible}`,
    [id, now],
  )
  return share
}

export interface PublishedFile {
  id: string
  name: string
  size: number
  objectKey: string
  /** null: not computed yet. */
  crc32: number | null
  completedAt: Date
}

/** Finds a published file of this share. */
export async function publishedFile(reader: Reader, shareId: string, fileId: string): Promise<PublishedFile | undefined> {
  const [file] = await reader.query<PublishedFile>(
    'published file',
    `select id, name, size, object_key as "objectKey", crc32, completed_at as "completedAt"
     from file where id = $1 and share_id = $2 and published`,
    [fileId, shareId],
  )
  return file
}

/** Returns all files of a share for its archive, ordered by name. */
export function archivedFiles(db: Db, shareId: string) {
  return db
    .selectFrom('file')
    .select(['id', 'name', 'size', 'objectKey', 'crc32', 'completedAt'])
    .where('shareId', '=', shareId)
    .where('published', '=', true)
    .orderBy('name')
    .orderBy('id')
    .$narrowType<{ completedAt: Date }>()
    .execute()
}

/**
 * Counts one view, up to 2,147,483,647. Returns false if none was left. One statement, so two
 * visitors on two replicas can't both use the last one.
 */
export async function countView(db: Db, uid: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('share')
    .set({ views: sql`least(views::bigint + 1, 2147483647)::integer` })
    .where('uid', '=', uid)
    .where((eb) => eb.or([eb('maxViews', 'is', null), eb('views', '<', eb.ref('maxViews'))]))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
