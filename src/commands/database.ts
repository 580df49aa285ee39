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

const patience = 20 // tries, a second apart, while a server is starting or stopping

/** For a command beside the server: the PostgreSQL of DATABASE_URL; else our own, which the server has started, or which runs just for this. */
export async function openDatabase(role: string, { databaseUrl, dataDir }: Env, closing: Closer): Promise<Connection> {
  if (databaseUrl) return { connectionString: databaseUrl }
  if (!existsSync(join(dataDir, 'postgres'))) throw new StartError(`There is no database in ${dataDir}. Set DATA_DIR as for the server.`)
  for (let left = patience; ; left--) {
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

/** What is logged goes to standard error, beside the answer. */
export function commandLog(role: string, level: string): Logger {
  return createLog(level, role, pino.destination({ dest: 2, sync: true }))
}
