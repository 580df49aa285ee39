import type { Logger } from 'pino'
import { allowPasswords, forgetSecrets, isCommand, recoverAccess, usage } from '../auth/recovery-commands.ts'
import { connectDatabases } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import { type Env, EnvError, readEnv } from '../env.ts'
import { StartError } from '../errors.ts'
import { type Closer, createCloser } from '../process/closing.ts'
import { commandLog, openDatabase } from './database.ts'

/**
 * Restores access for users who can't sign in, without email: `npm run admin -- reset-password
 * alice`. Works whether the server runs or not.
 */
async function main([command = '', login = '', ...rest]: string[]): Promise<void> {
  const isForAll = command === 'allow-passwords' || command === 'forget-secrets'
  if ((isForAll ? login : !isCommand(command) || !login) || rest.length > 0) {
    console.error(usage)
    process.exitCode = 2
    return
  }
  const env = readEnv(process.env)
  const log = commandLog('admin', 'info')
  const closing = createCloser(log)
  try {
    console.log(await run(env, log, closing, command, login))
  } finally {
    await closing.close()
  }
}

async function run(env: Env, log: Logger, closing: Closer, command: string, login: string): Promise<string> {
  const { db, close } = connectDatabases(await openDatabase('admin', env, closing), log, { max: 2 })
  closing.add('database', close)
  await migrate(db)
  if (isCommand(command)) return recoverAccess({ db, log }, command, login)
  return command === 'forget-secrets' ? forgetSecrets({ db, log }) : allowPasswords({ db, env, log })
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error instanceof StartError || error instanceof EnvError ? error.message : error)
  process.exitCode = 1
})
