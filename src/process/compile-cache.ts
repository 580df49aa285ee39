import { existsSync } from 'node:fs'
import { constants, enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where Node.js caches compiled code for the next start. The folder need not be writable. */
export const compileCache = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url))

/**
 * Lets Node.js keep compiled code for the next start. In an image, whose root file system may be
 * read-only, it is in the data folder, which no other user may write to.
 */
export function cacheCompiledCode(): void {
  const { status } = enableCompileCache(compileCache)
  const dataDir = process.env.DATA_DIR?.trim()
  if (status === constants.compileCacheStatus.FAILED && dataDir && existsSync(dataDir)) enableCompileCache(join(dataDir, 'compiled'))
}
