import { readSettings, type SettingsSource } from '../config/service.ts'
import type { Settings } from '../config/settings.ts'
import { AppError } from '../errors.ts'
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
 * Ensures that password sign-in is enabled.
 * @throws {AppError} password_sign_in_disabled
 */
export async function requirePasswords(source: SettingsSource): Promise<void> {
  if ((await readSettings(source))['oauth.disablePassword']) throw new AppError('password_sign_in_disabled')
}
