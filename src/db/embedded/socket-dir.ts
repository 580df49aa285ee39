import { createHash } from 'node:crypto'
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '../../data-dir.ts'
import type { Account } from './account.ts'

/** The shortest limit on a unix socket's path (macOS), in bytes. */
const LONGEST_PATH = 103
/** Only part of the socket's name: nothing listens on TCP. */
export const PORT = 5432

/** Where the server on `cluster` listens: a short folder under the temp folder, because a unix socket's path is limited. Nothing is made. */
export function socketDirOf(cluster: string, account: Account): string {
  const name = `razorbill-${createHash('sha256').update(`${account.uid}:${cluster}`).digest('hex').slice(0, 12)}`
  const dir = join(tmpdir(), name)
  return Buffer.byteLength(join(dir, `.s.PGSQL.${PORT}`)) <= LONGEST_PATH ? dir : join('/tmp', name)
}

/** Makes the folder, for `account` only, and empties one that a killed server left; throws StartError when it belongs to somebody else. */
export function makeSocketDir(dir: string, account: Account): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const { uid } = lstatSync(dir)
  if (!lstatSync(dir).isDirectory() || (uid !== account.uid && uid !== process.getuid!())) {
    throw new StartError(`${dir} belongs to another user. Remove it, or set TMPDIR to another folder.`)
  }
  if (account.other) chownSync(dir, account.uid, account.gid)
  chmodSync(dir, 0o700)
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { recursive: true })
}
