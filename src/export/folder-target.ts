import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Target } from './target.ts'

/** Readable only by the user who runs the export, because it has everything that users uploaded. */
const fileMode = 0o600
const folderMode = 0o700

/**
 * Exports into a folder. A file gets its name when it is complete, so that a later run skips it.
 */
export async function folderTarget(folder: string): Promise<Target> {
  await mkdir(folder, { recursive: true, mode: folderMode })
  const prepared = async (path: string) => {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true, mode: folderMode })
    return { file, part: `${file}.part` }
  }
  return {
    async has(path, size) {
      const stats = await stat(join(folder, path)).catch(() => null)
      return stats?.isFile() === true && stats.size === size
    },
    async writeFile(path, _size, modified, open, check) {
      const { file, part } = await prepared(path)
      try {
        await pipeline(await open(), createWriteStream(part, { mode: fileMode, flush: true }))
        check()
        await utimes(part, modified, modified)
        await rename(part, file)
      } finally {
        await rm(part, { force: true })
      }
    },
    async writeText(path, text) {
      const { file, part } = await prepared(path)
      await writeFile(part, text, { mode: fileMode, flush: true })
      await rename(part, file)
    },
    async finish() {},
    async close() {},
  }
}
