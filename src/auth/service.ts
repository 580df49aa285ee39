import { readSettings, requiresVerifiedEmail, type SettingsSource } from '../config/service.ts'
import type { Context } from '../context.ts'
import { hashPassword, isOwnHash, verifyPassword } from '../crypto/passwords.ts'
import { hashToken } from '../crypto/tokens.ts'
import { AppError } from '../errors.ts'
import { consumeHash } from '../http/hash-attempts.ts'
import { addressKey } from '../http/networks.ts'
import { consumeAttempt } from '../http/rate-limit.ts'
import { logAccess, orLockedOut } from '../http/security-events.ts'
import { withMails } from '../mail/allowance.ts'
import { enqueueWrittenMails } from '../mail/service.ts'
import { logEvent } from '../users/events.ts'
import { newPasswordHash } from '../users/passwords.ts'
import { hasUsers, isFirstUser, nameKey, replacePasswordHash, type User, userByLogin } from '../users/queries.ts'
import { addUser } from '../users/service.ts'
import { beginVerification } from '../users/verification.ts'
import type { SignIn, SignUp } from './contract.ts'
import { signUpAttempts } from './limits.ts'
import { knownDeviceId } from './sessions/known-devices.ts'
import { type Device, startSession } from './sessions/sessions.ts'
import { requireSetup } from './setup-code.ts'
import { attemptsOf, consumeSignIn, refundSignIn } from './sign-in-attempts.ts'
import { requirePasswords } from './sign-in-methods.ts'
import { afterFirstFactor } from './totp/second-factor.ts'

type AuthContext = Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'log'>

/**
 * Creates an account and signs it in. The first account becomes the administrator, even when
 * registration is off, and needs the setup code (see `requireSetup`). With
 * `share.requireVerifiedEmail`, other users must verify their email address.
 * @throws {AppError} password_sign_in_disabled, registration_disabled, too_many_requests
 * @throws {AppError} setup_code_required, wrong_setup_code: as `requireSetup`
 * @throws {AppError} validation_failed, password_too_common: as `newPasswordHash`
 * @throws {AppError} username_taken, email_taken, too_many_emails
 */
export async function signUp(ctx: AuthContext & Pick<Context, 'queue'>, { username, email, password, setupCode }: SignUp, device: Device) {
  await requirePasswords(ctx)
  const isFirst = !(await hasUsers(ctx.db))
  await requireRegistration(ctx, isFirst) // before the expensive hashing
  await consumeAttempt(ctx, signUpAttempts, addressKey(device.address))
  if (isFirst) requireSetup(ctx, device.isLocal, setupCode)
  const passwordHash = await newPasswordHash(ctx, password, { username, email })
  const settings = await readSettings(ctx)
  const isToVerify = !isFirst && requiresVerifiedEmail(settings)
  const { mails, ...account } = await withMails(ctx, { address: device.address }, isToVerify ? [email] : [], () =>
    ctx.db.transaction().execute(async (db) => {
      const isAdmin = await isFirstUser(db)
      await requireRegistration({ ...ctx, db }, isAdmin)
      const user = await addUser(db, { username, email, passwordHash, isAdmin, createdAt: ctx.now(), emailVerified: !isToVerify })
      const mails = isToVerify ? [await beginVerification({ ...ctx, db }, settings, user)] : []
      return { user, mails, ...(await startSession({ ...ctx, db }, user, device)) }
    }),
  )
  await enqueueWrittenMails(ctx, mails)
  logEvent(ctx, 'user_created', { userId: account.user.id, by: null, how: 'sign_up' })
  logAccess(ctx, 'sign_in', { userId: account.user.id, method: 'password' })
  return account
}

async function requireRegistration(source: SettingsSource, isFirst: boolean): Promise<void> {
  if (isFirst) return
  if (!(await readSettings(source))['share.allowRegistration']) throw new AppError('registration_disabled')
}

/**
 * Signs in by username or email address, or asks for the second factor. An unknown user and a wrong
 * password cause the same error after the same time.
 * @throws {AppError} password_sign_in_disabled, validation_failed, wrong_credentials,
 *   too_many_requests
 */
export async function signIn(ctx: AuthContext, { username, email, password }: SignIn, device: Device) {
  await requirePasswords(ctx)
  const login = username || email
  if (!login) throw new AppError('validation_failed', { issues: [{ path: 'username', message: 'username or email is required' }] })
  const user = await checkCredentials(ctx, login, password, device)
  const next = await afterFirstFactor(ctx, user, device)
  if ('session' in next) logAccess(ctx, 'sign_in', { userId: user.id, method: 'password' })
  return next
}

/**
 * Returns the user if the password is right. The attempt is counted first and refunded afterwards.
 * @throws {AppError} wrong_credentials, too_many_requests
 */
async function checkCredentials(ctx: AuthContext, login: string, password: string, device: Device): Promise<User> {
  const user = await userByLogin(ctx.db, login)
  const account = user?.id ?? hashToken(nameKey(login))
  const attempts = attemptsOf(account, device.address, user ? knownDeviceId(ctx.sealer, device, user.id) : null)
  const details = { userId: user?.id ?? null, method: 'password' } as const
  await orLockedOut(ctx, details, consumeSignIn(ctx, attempts))
  await orLockedOut(ctx, details, consumeHash(ctx, 'sign-in', { address: device.address }))
  const isRight = await verifyPassword(password, user?.passwordHash ?? null, 'sign-in')
  if (!user || !isRight) {
    logAccess(ctx, 'sign_in_failed', details)
    throw new AppError('wrong_credentials')
  }
  await refundSignIn(ctx, attempts)
  await renewHash(ctx, user, password)
  return user
}

/**
 * Replaces an imported hash: its different cost would reveal which accounts were imported.
 */
async function renewHash({ db }: AuthContext, { id, passwordHash }: User, password: string): Promise<void> {
  if (passwordHash === null || isOwnHash(passwordHash)) return
  await replacePasswordHash(db, id, { from: passwordHash, to: await hashPassword(password, 'sign-in') })
}
