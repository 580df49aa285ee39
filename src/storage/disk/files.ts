import { access, type FileHandle, mkdir, open, rename, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ObjectMissing, StoreFull, StoreUnavailable } from '../object-store.ts'

export const FILE_MODE = 0o640
export const FOLDER_MODE = 0o750
/**
 * Free bytes kept from uploads, so that a database on the same disk keeps working; at most 5 % of a
 * small disk.
 */
const RESERVE = 256 * 1024 * 1024

/** Returns the file system's error code, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code
}

/**
 * Converts an error of the file system to the store's: a missing file to ObjectMissing, a full disk
 * to StoreFull, anything else to StoreUnavailable. Returns other errors unchanged.
 */
export function fileStoreError(error: unknown): Error {
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

/** Throws an error of the file system as the store's, for `promise.catch`. */
export function throwFileStoreError(error: unknown): never {
  throw fileStoreError(error)
}

/**
 * Does the same for creating a file, where a missing folder means that the store's own folders are
 * missing.
 */
export function throwCreationError(error: unknown): never {
  const converted = fileStoreError(error)
  throw converted instanceof ObjectMissing ? new StoreUnavailable("The store's folders are missing", { cause: error }) : converted
}

/**
 * Returns the free bytes beyond the reserve, at least 0; null for file systems that don't report a
 * size (some network mounts).
 */
export async function freeBytes(folder: string): Promise<number | null> {
  const { bavail, blocks, bsize } = await statfs(folder)
  if (blocks === 0) return null
  return Math.max(0, Math.floor(bavail * bsize - Math.min(RESERVE, (blocks * bsize) / 20)))
}

/**
 * Checks that `bytes` more fit beyond the reserve. File systems that don't report a size pass;
 * there the write itself fails.
 *
 * @throws {StoreFull} they don't fit
 */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  const free = await freeBytes(folder)
  if (free !== null && (free < bytes || free === 0)) throw new StoreFull(`${bytes} bytes needed, ${free} free`)
}

/** Returns whether the path exists. */
export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** Returns a file's size in bytes; null if it does not exist. */
export async function fileSize(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    return throwFileStoreError(error)
  }
}

/**
 * Returns when the file was last written to, in milliseconds since 1970; 0 if it does not exist.
 */
export async function lastWritten(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}

/** Opens `path`, runs `work` on the file and closes it in any case. */
export async function withFile<T>(path: string, flags: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, flags, FILE_MODE)
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}

/** Makes a folder's entries durable. Network file systems that don't support this are ignored. */
export async function syncFolder(path: string): Promise<void> {
  await withFile(path, 'r', (folder) => folder.sync()).catch((error) => {
    if (!['EINVAL', 'EPERM', 'ENOTSUP', 'EISDIR', 'EACCES'].includes(codeOf(error) ?? '')) throw error
  })
}

/**
 * Moves a synced file to `to`, replacing any file there, and makes the move durable. Retries when a
 * concurrent removal deletes the folder that was just created.
 */
export async function moveIntoPlace(from: string, to: string): Promise<void> {
  const folder = dirname(to)
  for (let retries = 10; ; retries--) {
    try {
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
      await rename(from, to)
      break
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || retries === 0 || !(await exists(from))) throw error
    }
  }
  await syncFolder(folder)
  await syncFolder(dirname(folder))
}
