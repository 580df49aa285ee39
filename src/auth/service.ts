import { readSettings, type SettingsSource } from '../config/service.ts'
import type { Context } from '../context.ts'
import { verifyPassword } from '../crypto/passwords.ts'
import { hashToken } from '../crypto/tokens.ts'
import { AppError } from '../errors.ts'
import { takeHash } from '../http/hash-tries.ts'
import { addressKey } from '../http/networks.ts'
import { takeTry } from '../http/rate-limit.ts'
import { logEvent } from '../users/events.ts'
import { nameKey } from '../users/keys.ts'
import { newPasswordHash } from '../users/passwords.ts'
import { anyUser, isFirstUser, type User, userByLogin } from '../users/queries.ts'
import { addUser } from '../users/service.ts'
import type { SignIn, SignUp } from './contract.ts'
import { knownDevice } from './known-devices.ts'
import { signUpTries } from './limits.ts'
import { afterFirstFactor } from './second-factor.ts'
import { type Device, startSession } from './sessions.ts'
import { forgiveSignIn, takeSignIn, triesOf } from './sign-in-tries.ts'
import { requirePasswords } from './ways-in.ts'

type AuthContext = Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'log'>

/** Makes an account and signs it in. The first account is the administrator's, also when registration is off. */
export async function signUp(ctx: AuthContext, { username, email, password }: SignUp, device: Device) {
  await requirePasswords(ctx)
  await requireRegistration(ctx, !(await anyUser(ctx.db))) // before the work of hashing
  await takeTry(ctx, signUpTries, addressKey(device.address))
  const passwordHash = await newPasswordHash(password)
  const made = await ctx.db.transaction().execute(async (db) => {
    const isAdmin = await isFirstUser(db)
    await requireRegistration({ ...ctx, db }, isAdmin)
    const user = await addUser(db, { username, email, passwordHash, isAdmin, createdAt: ctx.now() })
    return { user, ...(await startSession({ ...ctx, db }, user, device)) }
  })
  logEvent(ctx, 'user_created', { userId: made.user.id, by: null, how: 'sign_up' })
  return made
}

async function requireRegistration(source: SettingsSource, isFirst: boolean): Promise<void> {
  if (isFirst) return
  if (!(await readSettings(source))['share.allowRegistration']) throw new AppError('registration_disabled')
}

/** Signs in by username or e-mail address, or asks for the second factor. The same error after the same time for an unknown user and a wrong password. */
export async function signIn(ctx: AuthContext, { username, email, password }: SignIn, device: Device) {
  await requirePasswords(ctx)
  const login = username || email
  if (!login) throw new AppError('validation_failed', { issues: [{ path: 'username', message: 'username or email is required' }] })
  const user = await checkCredentials(ctx, login, password, device)
  return afterFirstFactor(ctx, user, device)
}

/**
 * Returns the user whose password this is. Counts the try, and gives it back when the password was right.
 * @throws `wrong_credentials` or `too_many_requests`.
 */
async function checkCredentials(ctx: AuthContext, login: string, password: string, device: Device): Promise<User> {
  const user = await userByLogin(ctx.db, login)
  const account = user?.id ?? hashToken(nameKey(login))
  const tries = triesOf(account, device.address, user ? knownDevice(ctx.sealer, device, user.id) : null)
  await takeSignIn(ctx, tries)
  await takeHash(ctx, 'sign-in', { address: device.address })
  const isRight = await verifyPassword(password, user?.passwordHash ?? null, 'sign-in')
  if (!user || !isRight) throw new AppError('wrong_credentials')
  await forgiveSignIn(ctx, tries)
  return user
}
