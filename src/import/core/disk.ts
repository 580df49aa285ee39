import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { sep } from 'node:path'
import type { FoundBytes } from './source.ts'

/**
 * Finds a regular file below `root`, also through symbolic links; null if there is none. Links that
 * lead out of `root` count as missing, because a user of the product may have created them.
 */
export async function findOnDisk(root: string, path: string): Promise<FoundBytes | null> {
  const [realRoot, real] = await Promise.all([realPath(root), realPath(path)])
  if (realRoot === null || real === null || !isInside(realRoot, real)) return null
  const stats = await stat(real)
  return stats.isFile() ? { size: stats.size, open: async () => createReadStream(real) } : null
}

/** Whether a resolved path is `root` or below it. */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`)
}

/** Resolves symbolic links; null if nothing is there. */
export async function realPath(path: string): Promise<string | null> {
  try {
    return await realpath(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return null
    throw error
  }
}
