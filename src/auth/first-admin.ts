import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { hashPassword } from '../crypto/passwords.ts'
import { EnvError } from '../env.ts'
import { emailFormat } from '../http/formats.ts'
import { logEvent } from '../users/events.ts'
import { isGuessable } from '../users/guessable.ts'
import { hasUsers, isFirstUser } from '../users/queries.ts'
import { addUser } from '../users/service.ts'
import * as limits from './limits.ts'

type Admin = NonNullable<Context['env']['admin']>

/**
 * Creates the administrator from ADMIN_USERNAME, ADMIN_EMAIL and ADMIN_PASSWORD if there is no
 * account yet. Replicas that start together create only one. Returns whether this call has created
 * it.
 * @throws {EnvError} when a variable breaks a rule or the password is easy to guess
 */
export async function ensureFirstAdmin({ db, env, now, log }: Pick<Context, 'db' | 'env' | 'now' | 'log'>): Promise<boolean> {
  if (!env.admin || (await hasUsers(db))) return false
  const { username, email, password } = validated(env.admin)
  const appName = (await readSettings({ db, env }))['general.appName']
  if (await isGuessable(password, { username, email, appName })) {
    throw new EnvError([
      'ADMIN_PASSWORD is too easy to guess. Choose one that is not common and does not contain the name of the user or the site.',
    ])
  }
  const passwordHash = await hashPassword(password, 'new-password')
  const user = await db.transaction().execute(async (transaction) => {
    if (!(await isFirstUser(transaction))) return null
    return addUser(transaction, { username, email, passwordHash, isAdmin: true, createdAt: now() })
  })
  if (user) logEvent({ log }, 'user_created', { userId: user.id, by: null, how: 'environment' })
  return user !== null
}

function validated(admin: Admin): Admin {
  const { usernameMinLength, usernameMaxLength, usernamePattern, emailMaxLength, passwordMinLength, passwordMaxLength } = limits
  const problems: string[] = []
  if (!isBetween(admin.username, usernameMinLength, usernameMaxLength) || !new RegExp(usernamePattern).test(admin.username)) {
    problems.push(`ADMIN_USERNAME must have ${usernameMinLength} to ${usernameMaxLength} letters, digits, dots and underscores.`)
  }
  if (admin.email.length > emailMaxLength || !emailFormat.test(admin.email)) problems.push('ADMIN_EMAIL must be an email address.')
  if (!isBetween(admin.password, passwordMinLength, passwordMaxLength)) {
    problems.push(`ADMIN_PASSWORD must have ${passwordMinLength} to ${passwordMaxLength} characters.`)
  }
  if (problems.length > 0) throw new EnvError(problems)
  return admin
}

function isBetween({ length }: string, min: number, max: number): boolean {
  return length >= min && length <= max
}
