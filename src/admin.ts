import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Logger, pino } from 'pino'
import { allowPasswords, isCommand, rescue, usage } from './auth/rescue.ts'
import { type Closing, closeInReverse } from './closing.ts'
import { StartError } from './data-dir.ts'
import { type Connection, connectDatabases } from './db/connect.ts'
import { findRunning } from './db/embedded/postmaster.ts'
import { startEmbedded } from './db/embedded.ts'
import { migrate } from './db/migrate.ts'
import { type Env, EnvError, readEnv } from './env.ts'

const patience = 20 // tries, a second apart, while a server is starting or stopping

/** Helps somebody who cannot sign in, and needs no e-mail for it: `npm run admin -- reset-password alice`. The server may run, or not. */
async function main([command = '', login = '', ...more]: string[]): Promise<void> {
  const isForAll = command === 'allow-passwords'
  if ((isForAll ? login : !isCommand(command) || !login) || more.length > 0) {
    console.error(usage)
    process.exitCode = 2
    return
  }
  const env = readEnv(process.env)
  const log = errorLog('info')
  const closing = closeInReverse(log)
  try {
    console.log(await run(env, log, closing, command, login))
  } finally {
    await closing.close()
  }
}

async function run(env: Env, log: Logger, closing: Closing, command: string, login: string): Promise<string> {
  const { db, close } = connectDatabases(await openDatabase(env, closing), log)
  closing.add('database', close)
  await migrate(db)
  return isCommand(command) ? rescue({ db, log }, command, login) : allowPasswords({ db, env, log })
}

/** The PostgreSQL of DATABASE_URL; else our own, which the server has started, or which runs just for this. */
async function openDatabase({ databaseUrl, dataDir }: Env, closing: Closing): Promise<Connection> {
  if (databaseUrl) return { connectionString: databaseUrl }
  if (!existsSync(join(dataDir, 'postgres'))) throw new StartError(`There is no database in ${dataDir}. Set DATA_DIR as for the server.`)
  for (let left = patience; ; left--) {
    const running = await findRunning(join(realpathSync(dataDir), 'postgres'))
    if (running) return { host: running.socketDir, port: running.port, user: 'app', database: 'razorbill' }
    try {
      const embedded = await startEmbedded({ dataDir, log: errorLog('warn') })
      closing.add('PostgreSQL', embedded.stop)
      return embedded.connection
    } catch (error) {
      if (!(error instanceof StartError) || left === 0) throw error
      await sleep(1000)
    }
  }
}

/** What is logged goes to standard error, beside the answer. */
function errorLog(level: string): Logger {
  return pino({ level, base: { role: 'admin' }, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ dest: 2, sync: true }))
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof StartError || error instanceof EnvError ? error.message : error)
  process.exitCode = 1
})
