import type pg from 'pg'
import { escapeLike } from '../db/like.ts'
import type { SharedFile } from '../shares/contract.ts'
import { fileJson } from '../shares/queries.ts'
import type { FolderOverview } from './contract.ts'
import type { ShareAccess } from './queries.ts'

/** Folders, and files, of a larger share that its page shows first. */
const firstEntries = 200
/** Folders whose start is kept in memory, with up to 30 kB each. */
const keptFolders = 100

const fromFiles = 'from file left join preview on preview.file_id = file.id where file.share_id = $1 and file.published'
/** The part of a file's name after the folder $2 and its slash. */
const rest = 'substr(file.name, char_length($2) + 1)'

/** Returns all files of a share, ordered by name, as JSON that needs no parsing in this process. */
export async function allFilesJson(pool: pg.Pool, shareId: string): Promise<string> {
  const { rows } = await pool.query<{ files: string }>(
    `select coalesce(json_agg(${fileJson} order by file.name, file.id), '[]')::text as files ${fromFiles}`,
    [shareId],
  )
  return rows[0]?.files ?? '[]'
}

/** What the start of a folder shows; its files by their ids, because their previews change. */
interface FolderStart {
  overview: FolderOverview
  fileIds: string[]
}

/** In the order of their last use. */
const kept = new Map<string, Promise<FolderStart>>()

/**
 * Returns how many files a share has, and the first folders and files in one of its folders, which
 * is '' or a path without a slash at its ends. Folders have the count and size of all files in them.
 * All but the files is kept in memory, because counting reads the rows of all files.
 */
export async function folderStart(
  pool: pg.Pool,
  { id, uid, revision }: Pick<ShareAccess, 'id' | 'uid' | 'revision'>,
  folder: string,
): Promise<{ overview: FolderOverview; files: SharedFile[] }> {
  const key = `${uid}/${revision}/${folder}`
  const found = kept.get(key) ?? readFolderStart(pool, id, folder)
  kept.delete(key)
  kept.set(key, found)
  for (const oldest of kept.keys()) if (kept.size > keptFolders) kept.delete(oldest)
  found.catch(() => kept.delete(key))
  const { overview, fileIds } = await found
  return { overview, files: fileIds.length === 0 ? [] : await filesById(pool, id, fileIds) }
}

async function filesById(pool: pg.Pool, shareId: string, ids: string[]): Promise<SharedFile[]> {
  const { rows } = await pool.query<{ json: SharedFile }>(
    `select ${fileJson} as json ${fromFiles} and file.id = any($2::uuid[]) order by file.name, file.id`,
    [shareId, ids],
  )
  return rows.map(({ json }) => json)
}

async function readFolderStart(pool: pg.Pool, shareId: string, folder: string): Promise<FolderStart> {
  const prefix = folder === '' ? '' : `${folder.replaceAll('\0', '')}/` // PostgreSQL refuses NUL
  const { rows } = await pool.query<{ count: number; folders: FolderOverview['folders']; fileIds: string[] }>(
    `select (select count(*) from file where share_id = $1 and published) as count,
       (select coalesce(json_agg(folder order by name), '[]') from (
         select split_part(${rest}, '/', 1) as name, count(*) as count, sum(size) as size
         from file where share_id = $1 and published and name like $3 group by 1 order by 1 limit ${firstEntries}) folder) as folders,
       (select coalesce(json_agg(id), '[]') from (
         select id from file where share_id = $1 and published and starts_with(name, $2) and strpos(${rest}, '/') = 0
         order by name, id limit ${firstEntries}) file) as "fileIds"`,
    [shareId, prefix, `${escapeLike(prefix)}%/%`],
  )
  const { count = 0, folders = [], fileIds = [] } = rows[0] ?? {}
  return { overview: { folder, fileCount: count, folders }, fileIds }
}
