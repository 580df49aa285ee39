import {
  chmodSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../errors.ts'
import { type Account, canReach } from './account.ts'
import { type Binaries, binariesIn } from './binaries.ts'

/** The folder for root's copies of the programs. Every user can enter it on every system. */
const COPIES = '/var/lib/razorbill'

/**
 * Returns programs that `account` can run: `binaries`, or a copy if it has no access to their
 * folder.
 * @throws {StartError} the programs can't be copied
 */
export function programsFor(account: Account, binaries: Binaries, copies = COPIES): Binaries {
  if (!account.other || canRun(account, binaries)) return binaries
  const copy = join(copies, `postgresql-${binaries.version}`)
  try {
    createFolder(copies)
    if (!existsSync(copy)) copyPrograms(binaries.native, copies, copy)
  } catch (error) {
    throw new StartError(`${noAccess(binaries)} A copy in ${copies} failed (${(error as Error).message}).`)
  }
  const copied = binariesIn(copy, binaries.version)
  if (!canRun(account, copied)) throw new StartError(`${noAccess(binaries)} The copy in ${copy} can't be entered either.`)
  return copied
}

function canRun(account: Account, { native, postgres, initdb }: Binaries): boolean {
  return [postgres, initdb, join(native, 'lib'), join(native, 'share')].every((path) => canReach(account, path))
}

function noAccess({ native }: Binaries): string {
  return `PostgreSQL does not run as root, and other users may not enter ${native}. Run Razorbill as an ordinary user, or move it to a folder such as /opt.`
}

/** Creates a folder that only root can change, because PostgreSQL's programs run from it. */
function createFolder(path: string): void {
  if (mkdirSync(path, { recursive: true })) chmodSync(path, 0o755)
  const status = lstatSync(path)
  if (!status.isDirectory() || status.uid !== 0 || (status.mode & 0o022) !== 0)
    throw new Error(`${path} is not a folder that only root can change`)
}

/**
 * Copies to a temporary folder and renames it once it is on disk, so that a copy is always
 * complete.
 */
function copyPrograms(native: string, copies: string, copy: string): void {
  for (const name of readdirSync(copies)) {
    if (name.startsWith('copy-')) rmSync(join(copies, name), { recursive: true, force: true })
  }
  const unfinished = mkdtempSync(join(copies, 'copy-'))
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE })
  openToAll(unfinished)
  renameSync(unfinished, copy)
}

function openToAll(path: string): void {
  const status = lstatSync(path)
  if (status.isSymbolicLink()) return
  chmodSync(path, status.isDirectory() || (status.mode & 0o100) !== 0 ? 0o755 : 0o644)
  if (status.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name))
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
