import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../errors.ts'
import { accountFor } from './account.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { createCluster, createdBy } from './cluster.ts'
import { copyDatabase } from './copy-database.ts'
import { writeNames } from './naming.ts'
import { programsFor } from './programs.ts'
import { openServer, type ServerOptions } from './server.ts'

interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

const UNFINISHED = 'postgres.upgrade'
/** A complete copy that still has to take the former folder's place. */
const FINISHED = 'postgres.upgraded'

/**
 * Moves the data of an earlier PostgreSQL version into a folder of this version, and keeps the former
 * folder as `postgres-<version>`. Does nothing if there is none, or if `findFormer` returns null.
 * An interrupted upgrade starts over. Requires the lock on the data folder.
 * @throws {StartError} the data can't be moved; the former folder is unchanged
 */
export async function upgradeCluster(
  options: ServerOptions,
  database: string,
  findFormer: (major: string) => Binaries | null,
  log: Log,
): Promise<void> {
  const path = (name: string) => join(options.dataDir, name)
  if (!existsSync(path('postgres')) && existsSync(path(FINISHED))) renameSync(path(FINISHED), path('postgres'))
  const created = createdBy(path('postgres'))
  const { major } = findBinaries()
  if (created === null || Number(created) >= Number(major)) return
  const former = findFormer(created)
  if (!former) return
  log.info({ from: created, to: major }, 'upgrading PostgreSQL’s data; this may take some minutes')
  for (const name of [UNFINISHED, FINISHED]) rmSync(path(name), { recursive: true, force: true, maxRetries: 5 })
  try {
    await moveData(options, database, former, log)
  } catch (error) {
    rmSync(path(UNFINISHED), { recursive: true, force: true, maxRetries: 5 })
    throw new StartError(
      `The data of PostgreSQL ${created} in ${path('postgres')} could not be moved to PostgreSQL ${major}: ${(error as Error).message} It is unchanged.`,
    )
  }
  const kept = unusedName(path(`postgres-${created}`))
  renameSync(path(UNFINISHED), path(FINISHED))
  renameSync(path('postgres'), kept)
  renameSync(path(FINISHED), path('postgres'))
  log.info({ kept }, 'PostgreSQL’s data is upgraded; delete the former folder when everything works')
}

/** Runs both servers, the new one in a folder of its own, and copies the database. */
async function moveData(options: ServerOptions, database: string, former: Binaries, log: Log): Promise<void> {
  const account = accountFor(join(options.dataDir, 'postgres'))
  if (account.naming) writeNames(account.naming)
  await createCluster(join(options.dataDir, UNFINISHED), programsFor(account, findBinaries()), account, options.durable)
  const from = await openServer({ ...options, programs: former })
  try {
    const to = await openServer({ ...options, folder: UNFINISHED })
    await copyDatabase(from, to, database, log).finally(to.stop)
  } finally {
    await from.stop()
  }
}

function unusedName(path: string): string {
  for (let number = 0; ; number++) {
    const name = number === 0 ? path : `${path}-${number}`
    if (!existsSync(name)) return name
  }
}
