import { lstat, readdir } from 'node:fs/promises'
import { basename, join, posix } from 'node:path'
import { findOnDisk, isInside, realPath } from '../core/disk.ts'
import { derivedUuid } from '../core/ids.ts'
import type { SourceFile } from '../core/source.ts'

/** Whether visitors of a share may see a file or folder, by its path from the root of its owner. */
export type IsVisible = (path: string) => boolean

/**
 * Lists a shared file, or all files of a shared folder with their paths in it, as they are now.
 * Symbolic links to folders are not followed, and those to files only inside the share. A share
 * whose path leads out of `root` through a symbolic link has no files.
 *
 * @param root the folder that `path`, which starts with a slash, belongs to
 */
export async function sharedFiles(hash: string, root: string, path: string, isVisible: IsVisible): Promise<SourceFile[]> {
  const start = join(root, path)
  const [realRoot, realStart] = await Promise.all([realPath(root), realPath(start)])
  if (realRoot === null || realStart === null || !isInside(realRoot, realStart) || !isVisible(path)) return []
  const stats = await lstat(start)
  if (!stats.isDirectory()) return [await fileOf(hash, root, start, basename(path))]
  const files: SourceFile[] = []
  const folders = ['']
  for (const folder of folders) {
    for (const entry of (await readdir(join(start, folder), { withFileTypes: true })).sort(byName)) {
      const name = folder ? `${folder}/${entry.name}` : entry.name
      if (!isVisible(posix.join(path, name))) continue
      if (entry.isDirectory()) folders.push(name)
      else if (entry.isFile() || entry.isSymbolicLink()) files.push(await fileOf(hash, start, join(start, name), name))
    }
  }
  return files
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)

async function fileOf(hash: string, root: string, path: string, name: string): Promise<SourceFile> {
  const { mtime } = await lstat(path)
  return {
    id: derivedUuid('filebrowser bytes', hash, name),
    ...{ name, size: null, createdAt: mtime },
    find: () => findOnDisk(root, path),
  }
}
