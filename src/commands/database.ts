import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Logger, pino } from 'pino'
import type { Connection } from '../db/connect.ts'
import { ROLE } from '../db/embedded/access.ts'
import { findRunningServer } from '../db/embedded/postmaster.ts'
import { startEmbedded } from '../db/embedded.ts'
import type { Env } from '../env.ts'
import { StartError } from '../errors.ts'
import { createLog } from '../log.ts'
import type { Closer } from '../process/closing.ts'

const retries = 20 // one per second, while a server is starting or stopping

/**
 * Opens the database for a command: DATABASE_URL, or the embedded PostgreSQL of a running server.
 * If no server runs, it starts the embedded PostgreSQL until `closer` closes.
 * @throws {StartError} DATA_DIR has no database, or PostgreSQL doesn't start
 */
export async function openDatabase(role: string, { databaseUrl, databaseDirectUrl, dataDir }: Env, closing: Closer): Promise<Connection> {
  // Commands use locks of a session, which a pooler in between would lose.
  if (databaseUrl) return { connectionString: databaseDirectUrl ?? databaseUrl }
  if (!existsSync(join(dataDir, 'postgres'))) throw new StartError(`There is no database in ${dataDir}. Set DATA_DIR as for the server.`)
  for (let left = retries; ; left--) {
    const running = await findRunningServer(join(realpathSync(dataDir), 'postgres'))
    if (running) return { host: running.socketDir, port: running.port, user: ROLE, database: 'razorbill' }
    try {
      const embedded = await startEmbedded({ dataDir, log: commandLog(role, 'warn') })
      closing.add('PostgreSQL', embedded.stop)
      return embedded.connection
    } catch (error) {
      if (!(error instanceof StartError) || left === 0) throw error
      await sleep(1000)
    }
  }
}

/** Returns a log that writes to standard error, so that standard output has only the result. */
export function commandLog(role: string, level: string): Logger {
  return createLog(level, role, pino.destination({ dest: 2, sync: true }))
}
