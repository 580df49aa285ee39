import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** Milliseconds after which a folder counts as left by a dead process. Longer than any attempt. */
const LEFT_AFTER = 900_000

/** The folder in which previews are made. */
export const workFolder = (dataDir: string) => join(dataDir, 'previews-work')

const prefix = () => `${hostname().replace(/[^a-z0-9-]/gi, '')}.${process.pid}.`

/**
 * Runs `work` with an empty folder, which is deleted afterwards. First deletes the folders that
 * dead processes have left.
 */
export async function inWorkFolder<T>(dataDir: string, work: (folder: string) => Promise<T>): Promise<T> {
  const parent = workFolder(dataDir)
  await sweep(parent)
  const folder = join(parent, `${prefix()}${randomUUID()}`)
  inUse.add(folder) // first, so that a concurrent sweep leaves it
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
    inUse.delete(folder)
  }
}

const inUse = new Set<string>()

async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const path = join(parent, name)
    if (!inUse.has(path) && (isLeft(name) || (await isOld(path)))) await rm(path, { recursive: true, force: true })
  }
}

/**
 * Whether a folder belongs to a process of this machine that has ended, or to an earlier one with
 * our ID.
 */
function isLeft(name: string): boolean {
  if (name.startsWith(prefix())) return true
  const [host, pid] = name.split('.')
  if (!prefix().startsWith(`${host}.`)) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

async function isOld(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
  return mtimeMs < Date.now() - LEFT_AFTER
}
