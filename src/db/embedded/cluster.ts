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

/** Returns whether there is a data folder `cluster` yet. @throws StartError when it was made by another PostgreSQL version or is something else. */
export function clusterExists(cluster: string, { major }: Binaries): boolean {
  const made = version(cluster)
  if (made !== null && made !== major) {
    throw new StartError(
      `${cluster} was made by PostgreSQL ${made}, and this Razorbill brings PostgreSQL ${major}. Start the Razorbill version that made it, or move its data with pg_dump into a new DATA_DIR.`,
    )
  }
  return made !== null
}

function version(cluster: string): string | null {
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
 * Creates the data folder `cluster`, in a closed folder beside its place, and renames it when it is complete: a kill on the way leaves nothing half-made.
 * Needs the lock on the folder above.
 */
export async function createCluster(cluster: string, binaries: Binaries, account: Account, durable: boolean): Promise<void> {
  const above = dirname(cluster)
  for (const name of readdirSync(above)) {
    if (name.startsWith('postgres.init-')) rmSync(join(above, name), { recursive: true, force: true, maxRetries: 5 })
  }
  const closed = mkdtempSync(join(above, 'postgres.init-'))
  const unfinished = join(closed, 'postgres')
  mkdirSync(unfinished, { mode: 0o700 })
  if (account.other) chownSync(unfinished, account.initUid, account.gid)
  await initialize(unfinished, binaries, account, durable)
  takeOwnership(unfinished, account)
  renameSync(unfinished, cluster)
  rmdirSync(closed)
}

/** Runs initdb. As root it has the group of `account`, so that other programs of the named user that it runs as cannot look into it. */
async function initialize(cluster: string, { initdb }: Binaries, account: Account, durable: boolean): Promise<void> {
  const how = { ...account, uid: account.initUid, cluster, onParentDeath: 'KILL' } as const
  const access = [`--username=${SUPERUSER}`, '--auth-local=peer', '--auth-host=reject']
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--locale=C', '--builtin-locale=C.UTF-8']
  const args = ['-D', folderArgument(how), ...access, ...locale, ...(durable ? [] : ['--no-sync'])]
  const child = launch(initdb, args, how, ['ignore', 'ignore', 'pipe'])
  const complaint = text(child.stderr!)
  const [code] = await once(child, 'close').catch((error: Error) => {
    throw programStartError(initdb, error.message)
  })
  if (code !== 0) throw programStartError(initdb, (await complaint).trim())
}

/** The error for a PostgreSQL program that does not start at all; the usual cause is a system without the GNU C library. */
export function programStartError(program: string, reason: string): StartError {
  const hint = reason.includes('ENOENT') ? ' The embedded PostgreSQL needs the GNU C library (not Alpine); set DATABASE_URL elsewhere.' : ''
  return new StartError(`Cannot run the embedded PostgreSQL (${program}): ${reason}.${hint}`)
}
