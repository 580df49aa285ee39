import { access, type FileHandle, mkdir, open, rename, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ObjectMissing, StoreFull, StoreUnavailable } from '../object-store.ts'

export const FILE_MODE = 0o640
export const FOLDER_MODE = 0o750
/** The free bytes that are not given to uploads, so that a database on the same disk goes on; at most a twentieth of a small disk. */
const RESERVE = 256 * 1024 * 1024

/** The file system's word for what went wrong, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code
}

/** The store's error for a file system's: no such file is ObjectMissing, no room is StoreFull, anything else StoreUnavailable. Errors of another kind pass through. */
export function storeError(error: unknown): Error {
  const { message, syscall } = error as NodeJS.ErrnoException
  if (syscall === undefined) return error as Error
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new ObjectMissing(message, { cause: error })
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new StoreFull(message, { cause: error })
    default:
      return new StoreUnavailable(message, { cause: error })
  }
}

/** Throws the store's error for a file system's: `promise.catch(rethrow)`. */
export function rethrow(error: unknown): never {
  throw storeError(error)
}

/** The same for making something new, where a missing folder says that the store's own folders are gone. */
export function rethrowNew(error: unknown): never {
  const known = storeError(error)
  throw known instanceof ObjectMissing ? new StoreUnavailable("The store's folders are gone", { cause: error }) : known
}

/** Returns the free bytes beside the reserve, at least 0; null for a file system that does not tell its size (some network mounts). */
export async function freeBytes(folder: string): Promise<number | null> {
  const { bavail, blocks, bsize } = await statfs(folder)
  if (blocks === 0) return null
  return Math.max(0, Math.floor(bavail * bsize - Math.min(RESERVE, (blocks * bsize) / 20)))
}

/** Throws StoreFull unless `bytes` more fit beside the reserve. A file system that does not tell its size is let through: the write will tell. */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  const free = await freeBytes(folder)
  if (free !== null && (free < bytes || free === 0)) throw new StoreFull(`${bytes} bytes wanted, ${free} free`)
}

/** Whether the path exists. */
export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** When the file was last written to, in milliseconds since 1970; 0 when there is none. */
export async function lastWritten(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}

/** Opens `path`, hands the file to `work` and closes it, whatever happens. */
export async function withFile<T>(path: string, flags: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, flags, FILE_MODE)
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}

/** Makes a folder's entries durable. Some network file systems have no such call; they are as durable as they are. */
export async function syncFolder(path: string): Promise<void> {
  await withFile(path, 'r', (folder) => folder.sync()).catch((error) => {
    if (!['EINVAL', 'EPERM', 'ENOTSUP', 'EISDIR', 'EACCES'].includes(codeOf(error) ?? '')) throw error
  })
}

/** Moves a synced file to `to`, over what was there, and makes the move durable. Goes again when a removal took away the folder that was just made. */
export async function moveIntoPlace(from: string, to: string): Promise<void> {
  const folder = dirname(to)
  for (let left = 10; ; left--) {
    try {
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
      await rename(from, to)
      break
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || left === 0 || !(await exists(from))) throw error
    }
  }
  await syncFolder(folder)
  await syncFolder(dirname(folder))
}
