import { sql } from 'kysely'
import type { Reader } from '../db/connect.ts'
import type { Db, ZipPlanSummary } from '../db/schema.ts'
import type { SharedFile } from '../shares/contract.ts'
import { fileJson } from '../shares/queries.ts'
import { maxStartFiles } from './limits.ts'

/**
 * The data of a completed share that decides who may see it, with the rules of the link that a
 * visitor uses.
 */
export interface ShareAccess {
  /** The id of the share, which only its owner knows if the visitor has another link. */
  id: string
  uid: string
  /** The id of the link that the visitor uses; the same as `id` for the first link. */
  linkId: string
  /** The same as `uid` for the first link. */
  linkUid: string
  /** Whether the link is turned on. */
  enabled: boolean
  ownerId: string | null
  ownerTokenHash: string | null
  name: string | null
  passwordHash: string | null
  passwordVersion: number
  /** When the link expires, which is never after the share. */
  expiresAt: Date | null
  removedReason: string | null
  /**
   * The id of the recipient who must confirm by a code that the link was sent to them; null if it
   * opens without one.
   */
  verifiedRecipient: string | null
  /** The owner of the reverse share through which it was sent. */
  receiverId: string | null
  /** Whether only the sender and the recipient may see it. */
  private: boolean
  /** Whether one more visit is allowed. */
  viewsLeft: boolean
  /** Whether the number of visits is limited. */
  viewsLimited: boolean
  /** null: not limited. */
  maxDownloads: number | null
  downloads: number
  revision: number
  /** When the visible content last changed. */
  completedAt: Date
  zipState: 'none' | 'preparing' | 'ready' | 'failed'
  zipProgress: number
  zipSize: number | null
  /** null, or of another revision: not known. */
  zipPlan: ZipPlanSummary | null
  encrypted: boolean
}

const visible = 'share.completed_at is not null and (share.expires_at is null or share.expires_at > $2)'

const ofShare = `share.id, share.uid, share.owner_id as "ownerId", share.owner_token_hash as "ownerTokenHash", share.name,
  share.removed_reason as "removedReason", share.receiver_id as "receiverId", share.private, share.revision,
  coalesce(share.published_at, share.completed_at) as "completedAt",
  share.zip_state as "zipState", share.zip_progress as "zipProgress", share.zip_size as "zipSize", share.zip_plan as "zipPlan", share.encrypted`

/** Returns the columns that a first link and a further link have by the same names. */
const rulesOf = (table: 'share' | 'share_link') => `${table}.id as "linkId", ${table}.uid as "linkUid",
  ${table}.password_hash as "passwordHash", ${table}.password_version as "passwordVersion",
  ${table}.max_views is null or ${table}.views < ${table}.max_views as "viewsLeft", ${table}.max_views is not null as "viewsLimited",
  ${table}.max_downloads as "maxDownloads", ${table}.downloads`

/**
 * Finds the completed, unexpired share of a link, without its files. The first link takes one
 * statement, a further one two.
 */
export async function shareAccessOf(reader: Reader, linkId: string, now: Date): Promise<ShareAccess | undefined> {
  const [first] = await reader.query<ShareAccess>(
    'share access',
    `select ${ofShare}, ${rulesOf('share')}, share.link_enabled as enabled, share.expires_at as "expiresAt", null as "verifiedRecipient"
     from share where share.id = $1 and ${visible}`,
    [linkId, now],
  )
  if (first) return first
  const [further] = await reader.query<ShareAccess>(
    'link access',
    `select ${ofShare}, ${rulesOf('share_link')}, share_link.enabled, least(share.expires_at, share_link.expires_at) as "expiresAt",
       case when share_link.verify_email then share_link.recipient_id end as "verifiedRecipient"
     from share_link join share on share.id = share_link.share_id
     where share_link.id = $1 and ${visible} and (share_link.expires_at is null or share_link.expires_at > $2)`,
    [linkId, now],
  )
  return further
}

/** A share with everything that the visitors of its first link see. */
export interface VisibleShare
  extends Pick<
    ShareAccess,
    | 'id'
    | 'uid'
    | 'name'
    | 'passwordVersion'
    | 'expiresAt'
    | 'removedReason'
    | 'private'
    | 'maxDownloads'
    | 'downloads'
    | 'revision'
    | 'encrypted'
  > {
  description: string | null
  hasPassword: boolean
  /** Whether the first link is turned on. */
  linkEnabled: boolean
  size: number
  creator: { username: string } | null
  files: SharedFile[]
  kind: 'files' | 'text'
}

/**
 * Finds a completed, unexpired share with its first 1,001 files, ordered by name. The most frequent
 * read, so one statement builds the response.
 */
export async function findVisibleShare(reader: Reader, id: string, now: Date): Promise<VisibleShare | undefined> {
  const [share] = await reader.query<VisibleShare>(
    'open share',
    `select id, uid, name, description, password_version as "passwordVersion", password_hash is not null as "hasPassword",
       link_enabled as "linkEnabled", max_downloads as "maxDownloads", downloads, expires_at as "expiresAt", removed_reason as "removedReason", private, size, kind, encrypted, revision,
       (select json_build_object('username', username) from "user" where "user".id = owner_id) as creator,
       (select coalesce(json_agg(json order by name, id), '[]') from (
          select ${fileJson} as json, file.name, file.id
          from file left join preview on preview.file_id = file.id
          where file.share_id = share.id and file.published
          order by file.name, file.id limit ${maxStartFiles + 1}) listed) as files
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

/**
 * Counts one view of a link, up to 2,147,483,647. Returns false if none was left. One statement, so
 * two visitors on two replicas can't both use the last one.
 */
export async function countView(db: Db, access: Pick<ShareAccess, 'uid' | 'linkUid'>): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update ${linkTable(access)} set views = least(views::bigint + 1, 2147483647)::integer
    where uid = ${access.linkUid} and (max_views is null or views < max_views)`.execute(db)
  return numAffectedRows === 1n
}

/** Returns the table that has the rules of a link. */
export function linkTable({ uid, linkUid }: Pick<ShareAccess, 'uid' | 'linkUid'>) {
  return sql.table(uid === linkUid ? 'share' : 'share_link')
}
