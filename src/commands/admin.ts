import { allowPasswords, forgetSecrets, isCommand, recoverAccess, usage } from '../auth/recovery-commands.ts'
import { connectDatabases } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import { openDatabase } from './database.ts'
import { runCommand, type Tools } from './run-command.ts'

function parse([command = '', login = '', ...rest]: string[]): { command: string; login: string } | null {
  const isForAll = command === 'allow-passwords' || command === 'forget-secrets'
  return (isForAll ? login : !isCommand(command) || !login) || rest.length > 0 ? null : { command, login }
}

async function recover({ command, login }: { command: string; login: string }, { env, log, closing }: Tools): Promise<string> {
  const { db, close } = connectDatabases(await openDatabase('admin', env, closing), log, { max: 2 })
  closing.add('database', close)
  await migrate(db)
  if (isCommand(command)) return recoverAccess({ db, log }, command, login)
  return command === 'forget-secrets' ? forgetSecrets({ db, log }) : allowPasswords({ db, env, log })
}

/**
 * Restores access for users who can't sign in, without email: `npm run admin -- reset-password
 * alice`. Works whether the server runs or not.
 */
await runCommand({
  name: 'admin',
  level: 'info',
  usage,
  parse,
  run: async (parsed, tools) => console.log(await recover(parsed, tools)),
})
