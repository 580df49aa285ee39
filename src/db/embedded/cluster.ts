import { once } from 'node:events'
import { chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { StartError } from '../../errors.ts'
import { SUPERUSER } from './access.ts'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'
import { folderArgument, launch } from './launch.ts'
import { takeOwnership } from './ownership.ts'

/**
 * Returns whether the data folder `cluster` exists.
 * @throws {StartError} it was created by another PostgreSQL version, or holds other files
 */
export function clusterExists(cluster: string, { major }: Binaries): boolean {
  const created = createdBy(cluster)
  if (created !== null && created !== major) {
    throw new StartError(
      `${cluster} was created by PostgreSQL ${created}, and this Razorbill contains PostgreSQL ${major}. Start the Razorbill version that created it, or move its data with pg_dump into a new DATA_DIR.`,
    )
  }
  return created !== null
}

/**
 * Returns the major version that created the data folder `cluster`; null: it is missing or empty.
 * @throws {StartError} it holds other files
 */
export function createdBy(cluster: string): string | null {
  try {
    return readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new StartError(`Cannot read ${cluster}: ${(error as Error).message}.`)
    if (lstatSync(cluster, { throwIfNoEntry: false }) === undefined || readdirSync(cluster).length === 0) return null
    throw new StartError(
      `${cluster} holds files, but not those of a PostgreSQL data folder. Move them away, or set DATA_DIR to another folder.`,
    )
  }
}

/**
 * Creates the data folder `cluster`. It is built in a private folder next to it and then renamed,
 * so a kill leaves no incomplete data folder. Requires the lock on the parent folder.
 */
export async function createCluster(cluster: string, binaries: Binaries, account: Account, durable: boolean): Promise<void> {
  const parent = dirname(cluster)
  for (const name of readdirSync(parent)) {
    if (name.startsWith('postgres.init-')) rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 5 })
  }
  const privateDir = mkdtempSync(join(parent, 'postgres.init-'))
  const unfinished = join(privateDir, 'postgres')
  mkdirSync(unfinished, { mode: 0o700 })
  if (account.other) chownSync(unfinished, account.initUid, account.gid)
  await initialize(unfinished, binaries, account, durable)
  takeOwnership(unfinished, account)
  renameSync(unfinished, cluster)
  rmdirSync(privateDir)
}

/**
 * Runs initdb. As root it uses the group of `account`, so that other programs of the user that it
 * runs as have no access.
 */
async function initialize(cluster: string, { initdb }: Binaries, account: Account, durable: boolean): Promise<void> {
  const launchOptions = { ...account, uid: account.initUid, cluster, onParentDeath: 'KILL' } as const
  const access = [`--username=${SUPERUSER}`, '--auth-local=peer', '--auth-host=reject']
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--locale=C', '--builtin-locale=C.UTF-8']
  const args = ['-D', folderArgument(launchOptions), ...access, ...locale, ...(durable ? [] : ['--no-sync'])]
  const child = launch(initdb, args, launchOptions, ['ignore', 'ignore', 'pipe'])
  const errorOutput = child.stderr ? text(child.stderr) : ''
  const [code] = await once(child, 'close').catch((error: Error) => {
    throw programStartError(initdb, error.message)
  })
  if (code !== 0) throw programStartError(initdb, (await errorOutput).trim())
}

/** Returns the error for a program that does not start, usually for lack of the GNU C library. */
export function programStartError(program: string, reason: string): StartError {
  const hint = reason.includes('ENOENT') ? ' The embedded PostgreSQL needs the GNU C library (not Alpine); set DATABASE_URL elsewhere.' : ''
  return new StartError(`Cannot run the embedded PostgreSQL (${program}): ${reason}.${hint}`)
}
