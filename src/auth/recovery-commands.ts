import { variableOf } from '../config/environment.ts'
import { resetSettings } from '../config/queries.ts'
import { isSecret, settingKeys } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { hashPassword } from '../crypto/passwords.ts'
import { newLink } from '../crypto/tokens.ts'
import type { Db } from '../db/schema.ts'
import { StartError } from '../errors.ts'
import { grantAdmin } from '../users/administration.ts'
import { type AccountEvent, logEvent } from '../users/events.ts'
import { setPassword } from '../users/passwords.ts'
import { lockedUser, type User, userByLogin } from '../users/queries.ts'
import { clearTotp } from './totp/account.ts'

const passwordLength = 20 // characters of 5.8 bits

interface Outcome {
  event: AccountEvent
  /** The output of the command. */
  message: string
}

/** Each command changes a user that the transaction has locked. */
const commands = {
  async 'reset-password'(db: Db, { id, username }: User): Promise<Outcome> {
    const password = newLink(passwordLength)
    await setPassword(db, id, await hashPassword(password, 'new-password'))
    return { event: 'password_changed', message: `The new password of ${username}: ${password}\nTheir sessions and API tokens have ended.` }
  },
  async 'make-admin'(db: Db, { id, username }: User): Promise<Outcome> {
    await grantAdmin(db, id)
    return { event: 'admin_granted', message: `${username} is an administrator.` }
  },
  async 'disable-totp'(db: Db, { id, username }: User): Promise<Outcome> {
    await clearTotp(db, id)
    return { event: 'totp_disabled', message: `${username} can now sign in without a code.` }
  },
}
export type Command = keyof typeof commands

export const usage = `Usage: npm run admin -- <command> <username or email address>
       npm run admin -- allow-passwords
       npm run admin -- forget-secrets

  reset-password  give the user a new password, which is shown
  make-admin      make the user an administrator
  disable-totp    let the user sign in without the code of an authenticator
  allow-passwords let users sign in with a password again when only social logins are allowed
  forget-secrets  delete the secrets that a lost SECRET_KEY encrypted; let these users sign in without a code`

/** Returns whether a text is the name of a command. */
export function isCommand(text: string): text is Command {
  return Object.hasOwn(commands, text)
}

/**
 * Runs a command on a user, by username or email address, and returns its output.
 * @throws {StartError} when there is no such user
 */
export async function recoverAccess({ db, log }: Pick<Context, 'db' | 'log'>, command: Command, login: string): Promise<string> {
  const found = await userByLogin(db, login)
  const { userId, event, message } = await db.transaction().execute(async (transaction) => {
    const user = found && (await lockedUser(transaction, found.id))
    if (!user) throw new StartError(`There is no user "${login}".`)
    return { userId: user.id, ...(await commands[command](transaction, user)) }
  })
  logEvent({ log }, event, { userId, by: null, how: 'command_line' })
  return message
}

/**
 * Turns password sign-in on again, for when no one can sign in with a social login.
 * @throws {StartError} when the environment turns it off
 */
export async function allowPasswords({ db, env, log }: Pick<Context, 'db' | 'env' | 'log'>): Promise<string> {
  const key = 'oauth.disablePassword'
  if (env.settings[key])
    throw new StartError(`Remove ${variableOf(key)} from the environment of the server, or set it to false, and start it again.`)
  await resetSettings(db, [key])
  log.info({ keys: [key], how: 'command_line' }, 'settings changed')
  return 'Users can sign in with their password again.'
}

/**
 * Deletes all encrypted secrets: passwords and client secrets in settings, and users' second
 * factors.
 */
export async function forgetSecrets({ db, log }: Pick<Context, 'db' | 'log'>): Promise<string> {
  const keys = settingKeys.filter(isSecret)
  const users = await db.transaction().execute(async (transaction) => {
    await resetSettings(transaction, keys)
    const users = await transaction.selectFrom('user').select('id').where('totpSecret', 'is not', null).execute()
    for (const { id } of users) await clearTotp(transaction, id)
    return users
  })
  log.info({ keys, how: 'command_line' }, 'settings changed')
  for (const { id } of users) logEvent({ log }, 'totp_disabled', { userId: id, by: null, how: 'command_line' })
  return `Deleted the secret settings and the second factors of ${users.length} users. Start the server and set these settings again.`
}
