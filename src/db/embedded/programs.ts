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

/** Where root's copies of the programs are: every user may enter it on every system. */
const COPIES = '/var/lib/razorbill'

/**
 * Returns programs that `account` can run: those of `binaries` or, when they are in a folder that is closed to it, a copy of them.
 * @throws StartError when the copy cannot be made.
 */
export function programsFor(account: Account, binaries: Binaries, copies = COPIES): Binaries {
  if (!account.other || canRun(account, binaries)) return binaries
  const copy = join(copies, `postgresql-${binaries.version}`)
  try {
    makeFolder(copies)
    if (!existsSync(copy)) copyPrograms(binaries.native, copies, copy)
  } catch (error) {
    throw new StartError(`${closed(binaries)} A copy in ${copies} failed (${(error as Error).message}).`)
  }
  const copied = binariesIn(copy, binaries.version)
  if (!canRun(account, copied)) throw new StartError(`${closed(binaries)} The copy in ${copy} cannot be entered either.`)
  return copied
}

function canRun(account: Account, { native, postgres, initdb }: Binaries): boolean {
  return [postgres, initdb, join(native, 'lib'), join(native, 'share')].every((path) => canReach(account, path))
}

function closed({ native }: Binaries): string {
  return `PostgreSQL does not run as root, and other users may not enter ${native}. Run Razorbill as an ordinary user, or move it to a folder such as /opt.`
}

/** Only root may change what is inside, because PostgreSQL's programs are run from it. */
function makeFolder(path: string): void {
  if (mkdirSync(path, { recursive: true })) chmodSync(path, 0o755)
  const found = lstatSync(path)
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) throw new Error(`${path} is not a folder of root alone`)
}

/** Copies beside the place and renames when everything is on disk, so that a copy is complete wherever it exists. */
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
  const found = lstatSync(path)
  if (found.isSymbolicLink()) return
  chmodSync(path, found.isDirectory() || (found.mode & 0o100) !== 0 ? 0o755 : 0o644)
  if (found.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name))
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}
