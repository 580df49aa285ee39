import { createHash } from 'node:crypto'
import { accessSync, closeSync, constants, fchmodSync, fchownSync, fstatSync, mkdirSync, openSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { StartError } from '../../errors.ts'
import { type Account, canReach, ownUid } from './account.ts'

/** The maximum length of a unix socket's path on macOS, in bytes. Other systems allow more. */
const PATH_MAX = 103
/** Part of the socket's name. The server does not listen on TCP. */
export const PORT = 5432
const SOCKET = `.s.PGSQL.${PORT}`
const LOCK = `${SOCKET}.lock`

/**
 * Returns the folder of the server's socket, without creating it. It is in the temp folder, because
 * the length of a unix socket's path is limited. Where that is read-only, as in a container without
 * one, it is next to the data folder `cluster`.
 */
export function socketDirOf(cluster: string, account: Account): string {
  // "peer" distinguishes it from earlier versions, whose servers accepted every local user.
  const name = `razorbill-${createHash('sha256').update(`peer:${account.uid}:${cluster}`).digest('hex').slice(0, 12)}`
  const fitting = [tmpdir(), '/tmp', dirname(cluster)].find(
    (folder) => fits(join(folder, name)) && isWritable(folder) && (!account.other || canReach(account, folder)),
  )
  return join(fitting ?? '/tmp', name)
}

function fits(dir: string): boolean {
  return Buffer.byteLength(join(dir, LOCK)) <= PATH_MAX
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Creates the folder, accessible only to `account`, and removes the socket of a killed server.
 * Links are not followed, because other users can write to the temp folder.
 * @throws {StartError} the folder belongs to another user, or can't be created
 */
export function makeSocketDir(dir: string, { uid, gid, other }: Account): void {
  const foreign = new StartError(`${dir} belongs to another user. Remove it, or set TMPDIR to another folder.`)
  create(dir)
  let folder: number
  try {
    folder = openSync(dir, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  } catch {
    throw foreign
  }
  try {
    const owner = fstatSync(folder).uid
    if (owner !== uid && owner !== ownUid()) throw foreign
    if (other) fchownSync(folder, uid, gid)
    fchmodSync(folder, 0o700)
  } finally {
    closeSync(folder)
  }
  removeFiles(dir)
}

function create(dir: string): void {
  try {
    mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    throw new StartError(`Cannot create ${dir} (${(error as Error).message}). Set TMPDIR to a folder that Razorbill may write to.`)
  }
}

/**
 * Removes the folder of a server that has exited. Only socket files are removed, because the path
 * comes from a file that the server wrote.
 */
export function removeSocketDir(dir: string): void {
  try {
    removeFiles(dir)
    rmdirSync(dir)
  } catch {
    // It belongs to another user or no longer exists. The next start checks it.
  }
}

function removeFiles(dir: string): void {
  for (const name of [SOCKET, LOCK]) rmSync(join(dir, name), { force: true })
}
