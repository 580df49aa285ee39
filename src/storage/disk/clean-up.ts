import { randomUUID } from 'node:crypto'
import { readdir, rm, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StoreFull, StoreUnavailable } from '../object-store.ts'
import { codeOf, lastWritten, requireSpace, syncFolder, throwFileStoreError, withFile } from './files.ts'
import { DATA, WHOLE } from './upload.ts'

/** Files that are removed at once, because each waits for the disk. */
const PARALLEL = 4

/**
 * Removes files, then each folder that is now empty, durably. A failure does not stop it; the first
 * is thrown at the end.
 */
export async function removeFiles(paths: string[]): Promise<void> {
  const failures: unknown[] = []
  await forEach(paths, (path) => unlink(path).catch((error) => codeOf(error) === 'ENOENT' || failures.push(error)))
  const changed = new Set<string>()
  await forEach([...new Set(paths.map(dirname))], async (folder) => {
    const parent = await prune(folder)
    if (parent) changed.add(parent)
  })
  await forEach([...changed], syncIfPresent)
  if (failures.length > 0) throwFileStoreError(failures[0])
}

async function forEach<T>(items: T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items.values() // shared, so that each item is taken once
  const run = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: PARALLEL }, run))
}

/**
 * Removes a folder if it is empty. Returns the folder to sync: its parent, or itself if only its
 * files were removed. Undefined: a concurrent removal has deleted it, and syncs that itself.
 */
async function prune(folder: string): Promise<string | undefined> {
  try {
    await rmdir(folder)
    return dirname(folder)
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? undefined : folder
  }
}

async function syncIfPresent(folder: string): Promise<void> {
  await syncFolder(folder).catch((error) => {
    if (codeOf(error) !== 'ENOENT') throw error
  })
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
