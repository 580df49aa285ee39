import type pg from 'pg'
import type { SharedFile } from '../shares/contract.ts'
import { fileJson } from '../shares/queries.ts'
import type { FolderOverview } from './contract.ts'

/** Folders, and files, of a larger share that its page shows first. */
const firstEntries = 200

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

/**
 * Returns how many files a share has, and the first folders and files in one of its folders, which
 * is '' or a path without a slash at its ends. Folders have the count and size of all files in them.
 */
export async function folderStart(
  pool: pg.Pool,
  shareId: string,
  folder: string,
): Promise<{ overview: FolderOverview; files: SharedFile[] }> {
  const prefix = folder === '' ? '' : `${folder.replaceAll('\0', '')}/` // PostgreSQL refuses NUL
  const { rows } = await pool.query<{ count: number; folders: FolderOverview['folders']; files: SharedFile[] }>(
    `select (select count(*) from file where share_id = $1 and published) as count,
       (select coalesce(json_agg(folder order by name), '[]') from (
         select split_part(${rest}, '/', 1) as name, count(*) as count, sum(size) as size
         from file where share_id = $1 and published and name like $3 group by 1 order by 1 limit ${firstEntries}) folder) as folders,
       (select coalesce(json_agg(json), '[]') from (
         select ${fileJson} as json ${fromFiles} and starts_with(file.name, $2) and strpos(${rest}, '/') = 0
         order by file.name, file.id limit ${firstEntries}) file) as files`,
    [shareId, prefix, `${prefix.replace(/[\\%_]/g, '\\$&')}%/%`],
  )
  const { count = 0, folders = [], files = [] } = rows[0] ?? {}
  return { overview: { folder, fileCount: count, folders }, files }
}
