import type pg from 'pg'
import { escapeLike } from '../../db/like.ts'
import type { PublishedFile, ShareAccess } from '../queries.ts'

export interface ArchivedFile extends Omit<PublishedFile, 'completedAt'> {
  /** Milliseconds since 1970. */
  completedAt: number
}

const selectArchived = `select id, name, size, object_key as "objectKey", crc32, floor(extract(epoch from completed_at) * 1000)::bigint as "completedAt"
  from file where share_id = $1 and published`

/**
 * Returns all files of a share for its archive, ordered by name. A share may have 100,000, so this
 * does without Kysely's plugins and without dates, which take three times as long to read.
 */
export async function archivedFiles(pool: pg.Pool, shareId: string): Promise<ArchivedFile[]> {
  const { rows } = await pool.query<ArchivedFile>(`${selectArchived} order by name, id`, [shareId])
  return rows
}

/**
 * Returns the files in a folder of a share for their archive, ordered by name, and whether the share
 * has no others.
 */
export async function archivedFolder(pool: pg.Pool, shareId: string, folder: string): Promise<{ files: ArchivedFile[]; isWhole: boolean }> {
  if (folder.includes('\0')) return { files: [], isWhole: false } // PostgreSQL refuses NUL
  const values = [shareId, `${escapeLike(folder)}/%`]
  const [inside, outside] = await Promise.all([
    pool.query<ArchivedFile>(`${selectArchived} and name like $2 order by name, id`, values),
    pool.query('select from file where share_id = $1 and published and name not like $2 limit 1', values),
  ])
  return { files: inside.rows, isWhole: outside.rows.length === 0 }
}

/**
 * Returns up to `limit` files of a share for its archive, those after the file `after` in their
 * order; none if the share has another revision.
 */
export async function archivedPage(
  pool: pg.Pool,
  { id, revision }: Pick<ShareAccess, 'id' | 'revision'>,
  after: Pick<ArchivedFile, 'id' | 'name'> | undefined,
  limit: number,
): Promise<ArchivedFile[]> {
  const rest = after ? 'and (name, id) > ($4, $5)' : ''
  const { rows } = await pool.query<ArchivedFile>(
    `${selectArchived} and exists(select from share where id = $1 and revision = $2) ${rest} order by name, id limit $3`,
    [id, revision, limit, ...(after ? [after.name, after.id] : [])],
  )
  return rows
}
