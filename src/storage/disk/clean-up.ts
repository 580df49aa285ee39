import { randomUUID } from 'node:crypto'
import { readdir, rm, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StoreFull, StoreUnavailable } from '../object-store.ts'
import { codeOf, lastWritten, requireSpace, syncFolder, throwFileStoreError, withFile } from './files.ts'
import { DATA, WHOLE } from './upload.ts'

/**
 * Removes files, then each folder that is now empty, durably. A failure does not stop it; the first
 * is thrown at the end.
 */
export async function removeFiles(paths: string[]): Promise<void> {
  const failures: unknown[] = []
  for (const path of paths) await unlink(path).catch((error) => codeOf(error) === 'ENOENT' || failures.push(error))
  for (const folder of new Set(paths.map((path) => dirname(path)))) await prune(folder)
  if (failures.length > 0) throwFileStoreError(failures[0])
}

async function prune(folder: string): Promise<void> {
  try {
    await rmdir(folder)
    await syncFolder(dirname(folder))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    // Not empty, so only its files were removed. A concurrent removal may have deleted it, and
    // syncs that itself.
    await syncFolder(folder).catch((error) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
  }
}

/**
 * Rejects with a sentence for the operator if `dir` is not writable, or only the reserve is free.
 */
export async function checkFolder(dir: string): Promise<void> {
  const probe = join(dir, 'tmp', `${randomUUID()}.probe`)
  try {
    await requireSpace(dir, 0)
    await withFile(probe, 'wx', (file) => file.writeFile('probe'))
  } catch (error) {
    if (error instanceof StoreFull) throw new StoreFull(`The disk of ${dir} is full: only its reserve is free.`)
    throw new StoreUnavailable(`${dir} is not writable: ${(error as Error).message}.`, { cause: error })
  } finally {
    await rm(probe, { force: true }).catch(() => {}) // the failure above is more useful
  }
}

/**
 * Removes the entries of `dir/tmp` that nothing was written to for `olderThanMs`; returns how many.
 */
export async function sweepTemporary(dir: string, olderThanMs: number): Promise<number> {
  const before = Date.now() - olderThanMs
  let removed = 0
  for (const name of await readdir(join(dir, 'tmp')).catch(throwFileStoreError)) {
    const path = join(dir, 'tmp', name)
    const times = await Promise.all([path, join(path, DATA), join(path, WHOLE)].map(lastWritten))
    if (Math.max(...times) >= before) continue
    await rm(path, { recursive: true, force: true }).catch(throwFileStoreError)
    removed++
  }
  return removed
}
