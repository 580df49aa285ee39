import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../errors.ts'

export interface DataDirLock {
  /** The folder's path with all links resolved. */
  path: string
  release(): void
}

const SQLITE_BUSY = 5

/**
 * Creates `dataDir` if it is missing and locks it for this process. The lock is SQLite's file lock
 * (POSIX fcntl), which the kernel releases however the process dies. Process ids are not trusted.
 * @throws {StartError} another process holds the lock, or the folder is not writable
 */
export function lockDataDir(dataDir: string): DataDirLock {
  const path = createDataDir(dataDir)
  const pidFile = join(path, 'razorbill.pid')
  const lock = openLock(path, pidFile)
  writeFileSync(pidFile, `${process.pid}\n`)
  return {
    path,
    release() {
      if (!lock.isOpen) return
      rmSync(pidFile, { force: true })
      lock.close()
    },
  }
}

/** Other users may enter the folder, because root's PostgreSQL runs as one, but can't list it. */
function createDataDir(dataDir: string): string {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o711 })
    return realpathSync(dataDir)
  } catch (error) {
    throw new StartError(
      `Cannot create the data folder ${dataDir} (${(error as Error).message}). Set DATA_DIR to a folder that Razorbill may write to.`,
    )
  }
}

function openLock(path: string, pidFile: string): DatabaseSync {
  let file: DatabaseSync | undefined
  try {
    file = new DatabaseSync(join(path, 'razorbill.lock'), { timeout: 0 })
    file.exec('begin exclusive')
    return file
  } catch (error) {
    if (file?.isOpen) file.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) throw new StartError(inUse(path, pidFile))
    throw new StartError(
      `Cannot lock the data folder ${path} (${(error as Error).message}). Set DATA_DIR to a folder that Razorbill may write to.`,
    )
  }
}

function inUse(path: string, pidFile: string): string {
  return `Another Razorbill${holder(pidFile)} is already using ${path}. Stop it first, or set DATA_DIR to another folder.`
}

function holder(pidFile: string): string {
  try {
    return ` (process ${readFileSync(pidFile, 'utf8').trim()})`
  } catch {
    return ''
  }
}
