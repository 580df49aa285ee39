import { createHash } from 'node:crypto'
import { closeSync, constants, fchmodSync, fchownSync, fstatSync, mkdirSync, openSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '../../errors.ts'
import { type Account, canReach } from './account.ts'

/** The shortest limit on a unix socket's path (macOS), in bytes. */
const LONGEST_PATH = 103
/** Only part of the socket's name: nothing listens on TCP. */
export const PORT = 5432
const FILES = [`.s.PGSQL.${PORT}`, `.s.PGSQL.${PORT}.lock`]

/** Returns where the server on `cluster` listens: a short folder under the temp folder, because a unix socket's path is limited. Nothing is created. */
export function socketDirOf(cluster: string, account: Account): string {
  // "peer" sets it apart from the folder of earlier versions, whose servers let every local user in.
  const name = `razorbill-${createHash('sha256').update(`peer:${account.uid}:${cluster}`).digest('hex').slice(0, 12)}`
  const dir = join(tmpdir(), name)
  const fits = Buffer.byteLength(join(dir, FILES[1]!)) <= LONGEST_PATH
  return fits && (!account.other || canReach(account, tmpdir())) ? dir : join('/tmp', name)
}

/**
 * Creates the folder, for `account` only, and removes the socket that a killed server left in it. No link is followed: other users write to the same
 * temp folder.
 * @throws StartError when the folder belongs to another user.
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
    if (owner !== uid && owner !== process.getuid!()) throw foreign
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

/** Removes the folder of a server that has ended, and nothing but a socket's files in it: the path comes from a file that the server wrote. */
export function removeSocketDir(dir: string): void {
  try {
    removeFiles(dir)
    rmdirSync(dir)
  } catch {
    // Somebody else's, or it is gone already: the next start decides.
  }
}

function removeFiles(dir: string): void {
  for (const name of FILES) rmSync(join(dir, name), { force: true })
}
