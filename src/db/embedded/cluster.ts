import { once } from 'node:events'
import { chmodSync, chownSync, lchownSync, lstatSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { StartError } from '../../data-dir.ts'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'
import { launch } from './launch.ts'

/**
 * Makes the data folder `cluster` where there is none, and checks the version and mends owner and permissions of one that is there.
 * It is made beside its place and renamed when complete, so being killed on the way leaves nothing half-made. Needs the lock on the folder above.
 */
export async function prepareCluster(cluster: string, binaries: Binaries, account: Account, durable: boolean): Promise<void> {
  const made = version(cluster)
  if (made === null) return makeCluster(cluster, binaries, account, durable)
  if (made !== binaries.major) {
    throw new StartError(
      `${cluster} was made by PostgreSQL ${made}, and this Razorbill brings PostgreSQL ${binaries.major}. Start the Razorbill version that made it, or move its data with pg_dump into a new DATA_DIR.`,
    )
  }
  if (statSync(cluster).uid !== account.uid) chownAll(cluster, account)
  if ((statSync(cluster).mode & 0o777) !== 0o700) chmodSync(cluster, 0o700)
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

async function makeCluster(cluster: string, binaries: Binaries, account: Account, durable: boolean): Promise<void> {
  const above = dirname(cluster)
  for (const name of readdirSync(above)) {
    if (name.startsWith('postgres.init-')) rmSync(join(above, name), { recursive: true, force: true, maxRetries: 5 })
  }
  const unfinished = mkdtempSync(join(above, 'postgres.init-'))
  if (account.other) chownSync(unfinished, account.uid, account.gid)
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--locale=C', '--builtin-locale=C.UTF-8']
  const args = [
    '-D',
    unfinished,
    '-U',
    'app',
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
    ...locale,
    ...(durable ? [] : ['--no-sync']),
  ]
  const child = launch(binaries.initdb, args, { account, paths: [binaries.root, binaries.initdb, unfinished], onParentDeath: 'KILL' }, [
    'ignore',
    'ignore',
    'pipe',
  ])
  const complaint = text(child.stderr!)
  const [code] = await once(child, 'close').catch((error: Error) => {
    throw cannotRun(binaries.initdb, error.message)
  })
  if (code !== 0) throw cannotRun(binaries.initdb, (await complaint).trim())
  renameSync(unfinished, cluster)
}

/** The error for a PostgreSQL program that does not start at all; the usual cause is a system without the GNU C library. */
export function cannotRun(program: string, reason: string): StartError {
  const hint = reason.includes('ENOENT') ? ' The embedded PostgreSQL needs the GNU C library (not Alpine); set DATABASE_URL elsewhere.' : ''
  return new StartError(`Cannot run the embedded PostgreSQL (${program}): ${reason}.${hint}`)
}

function chownAll(path: string, { uid, gid }: Account): void {
  lchownSync(path, uid, gid)
  if (!lstatSync(path).isDirectory()) return
  for (const name of readdirSync(path)) chownAll(join(path, name), { uid, gid, other: true })
}
