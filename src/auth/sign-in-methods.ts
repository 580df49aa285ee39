import { readSettings, type SettingsSource } from '../config/service.ts'
import type { Settings } from '../config/settings.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import type { Caller } from '../http/guards.ts'
import type { User } from '../users/queries.ts'
import { passkeysOf } from './passkeys/queries.ts'

/**
 * Ensures that a user who has just removed a sign-in method still has another one. That is a
 * password, a passkey, or a link to an enabled provider. Requires the transaction of the removal,
 * which has locked the user.
 * @throws {AppError} last_way_in
 */
export async function requireSignInMethod(source: SettingsSource, { id, passwordHash }: Pick<User, 'id' | 'passwordHash'>): Promise<void> {
  const settings = await readSettings(source)
  if (passwordHash !== null && !settings['oauth.disablePassword']) return
  if ((await passkeysOf(source.db, id)).length > 0) return
  const links = await source.db.selectFrom('socialLink').select('provider').where('userId', '=', id).execute()
  if (!links.some(({ provider }) => settings[`oauth.${provider}-enabled` as keyof Settings] === true)) throw new AppError('last_way_in')
}

/**
 * Refuses to change the second factor of an administrator who needs one and has signed in without
 * their passkey. Otherwise a stolen password would be enough to add a second factor.
 * @throws {AppError} second_factor_required
 */
export async function requireOwnPasskey(db: Db, { userId, needsSecondFactor }: Caller): Promise<void> {
  if (needsSecondFactor && (await passkeysOf(db, userId)).length > 0) throw new AppError('second_factor_required')
}

/**
 * Ensures that password sign-in is enabled.
 * @throws {AppError} password_sign_in_disabled
 */
export async function requirePasswords(source: SettingsSource): Promise<void> {
  if ((await readSettings(source))['oauth.disablePassword']) throw new AppError('password_sign_in_disabled')
}
