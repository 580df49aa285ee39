import { signUpAttempts } from '../auth/limits.ts'
import { passkeysOf } from '../auth/passkeys/queries.ts'
import { type Device, type StartedSession, startSession } from '../auth/sessions/sessions.ts'
import { afterFirstFactor, type LoginStep } from '../auth/totp/second-factor.ts'
import { readSettings, requiresVerifiedEmail, type SettingsSource } from '../config/service.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { addressKey } from '../http/networks.ts'
import { consumeAttempt } from '../http/rate-limit.ts'
import { logAccess } from '../http/security-events.ts'
import { withMails } from '../mail/allowance.ts'
import { enqueueWrittenMails } from '../mail/service.ts'
import { bumpVersion } from '../users/credentials.ts'
import { logEvent } from '../users/events.ts'
import { isFirstUser, lockedUser, nameKey, requireUser, type User, userByEmail, userById } from '../users/queries.ts'
import { addUser } from '../users/service.ts'
import { beginVerification, setEmailVerified } from '../users/verification.ts'
import { SocialError } from './errors.ts'
import type { Identity } from './identity.ts'
import { insertLink, linkOf, linksOf, lockSubject } from './queries.ts'
import { anotherUsername, usernameFrom } from './usernames.ts'

type SignInContext = Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'log' | 'queue'>
/** `mayBeFirst`: whether the sign-in may create the first account. */
type SignUpContext = SignInContext & { mayBeFirst: boolean }
const maxUsernameRetries = 6

/**
 * Signs in the user of a provider's account, or creates an account.
 * The second factor is required as after a password, unless the setting `oauth.ignoreTotp` is on.
 * @throws {SocialError} no_user, no_email, unverified_account, not_linked, setup_code_required
 * @throws {AppError} session_ended: when the user's credentials have changed meanwhile
 * @throws {AppError} too_many_requests, too_many_emails
 */
export async function signInWithIdentity(
  ctx: SignInContext,
  identity: Identity,
  device: Device,
  mayBeFirst: boolean,
): Promise<{ userId: string } & (StartedSession | LoginStep)> {
  const link = await linkOf(ctx.db, identity)
  const user = link
    ? await userById(ctx.db, link.userId)
    : await userOfNewIdentity({ ...ctx, mayBeFirst: mayBeFirst || device.isLocal || ctx.env.admin !== null }, identity, device)
  if (!user) throw new SocialError('no_user')
  const { 'oauth.ignoreTotp': ignoreTotp } = await readSettings(ctx)
  const next = await (ignoreTotp ? startSession : afterFirstFactor)(ctx, user, device)
  if ('session' in next) logAccess(ctx, 'sign_in', { userId: user.id, method: 'oauth' })
  return { userId: user.id, ...next }
}

/**
 * Returns the user of a provider's account that is not linked yet. Retries with another username
 * when it is taken.
 */
async function userOfNewIdentity(ctx: SignUpContext, identity: Identity, { address }: Device): Promise<User> {
  await consumeAttempt(ctx, signUpAttempts, addressKey(address))
  const mails = identity.email !== null && (await isToVerify(ctx, identity)) ? [identity.email] : []
  let username = usernameFrom(identity)
  for (let retries = maxUsernameRetries; ; retries--) {
    try {
      return await withMails(ctx, { address }, mails, () => linkOrSignUp(ctx, identity, username))
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'username_taken' || retries === 0) throw asNotLinked(error)
      username = anotherUsername(username)
    }
  }
}

/** Returns whether a new account must verify an address that its provider has not verified. */
async function isToVerify(source: SettingsSource, { emailVerified }: Identity): Promise<boolean> {
  return emailVerified !== true && requiresVerifiedEmail(await readSettings(source))
}

/**
 * An existing user with this email address must sign in and link the account. Sign-up reveals the
 * same about an address.
 */
function asNotLinked(error: unknown): unknown {
  return error instanceof AppError && error.code === 'email_taken' ? new SocialError('not_linked') : error
}

interface LinkedUser {
  user: User
  /** What has happened; null if the user was linked already. */
  event: 'social_linked' | 'user_created' | null
  mails: string[]
}

/** Links an existing user or creates one, in one transaction with the link. */
async function linkOrSignUp(ctx: SignUpContext, identity: Identity, username: string): Promise<User> {
  const { user, event, mails } = await ctx.db.transaction().execute(async (db): Promise<LinkedUser> => {
    await lockSubject(db, identity)
    const link = await linkOf(db, identity)
    if (link) return { user: await requireUser(db, link.userId), event: null, mails: [] } // another tab was faster
    if (identity.email === null) throw new SocialError('no_email')
    if (identity.emailVerified === false) throw new SocialError('unverified_account')
    const { email } = identity
    const existing = identity.emailVerified ? await userByEmail(db, email) : undefined
    const transaction = { ...ctx, db }
    if (existing) return { user: await linkByEmail(transaction, { ...identity, email }, existing.id), event: 'social_linked', mails: [] }
    return { ...(await createAccount(transaction, identity, { username, email })), event: 'user_created' }
  })
  await enqueueWrittenMails(ctx, mails)
  if (event) logEvent(ctx, event, { userId: user.id, by: event === 'social_linked' ? user.id : null, how: 'social_login' })
  return user
}

type TransactionContext = Pick<Context, 'env' | 'now' | 'sealer'> & { db: Db }

async function createAccount(
  ctx: TransactionContext & Pick<SignUpContext, 'mayBeFirst'>,
  identity: Identity,
  { username, email }: Pick<User, 'username' | 'email'>,
): Promise<{ user: User; mails: string[] }> {
  const isAdmin = await isFirstUser(ctx.db)
  if (isAdmin && !ctx.mayBeFirst) throw new SocialError('setup_code_required')
  if (!isAdmin && !(await readSettings(ctx))['oauth.allowRegistration']) throw new SocialError('no_user')
  const user = await addUser(ctx.db, { username, email, passwordHash: null, isAdmin, createdAt: ctx.now() })
  await storeLink(ctx, user.id, identity)
  if (isAdmin || !(await isToVerify(ctx, identity))) return { user, mails: [] }
  return { user, mails: [await beginVerification(ctx, await readSettings(ctx), user)] }
}

/**
 * Links the account of a verified email address, if no one else can have access to that account.
 */
async function linkByEmail(ctx: TransactionContext, identity: Identity & { email: string }, userId: string): Promise<User> {
  const user = await lockedUser(ctx.db, userId)
  if (!user || !(await isUnclaimed(ctx.db, user, nameKey(identity.email)))) throw new SocialError('not_linked')
  if (!(await storeLink(ctx, userId, identity))) throw new SocialError('not_linked')
  await bumpVersion(ctx.db, userId)
  return requireUser(ctx.db, userId)
}

/**
 * Returns whether only the owner of an email address can have access to its account. It has no
 * password, and all of its links verified the same address. This guards against account
 * pre-hijacking.
 */
async function isUnclaimed(db: Db, { id, passwordHash, emailKey }: User, verifiedKey: string): Promise<boolean> {
  if (passwordHash !== null || emailKey !== verifiedKey) return false
  const links = await linksOf(db, id)
  if (links.length > 0) return links.every((link) => link.emailKey === verifiedKey)
  return (await passkeysOf(db, id)).length === 0
}

/**
 * Stores the link of an identity, which can verify the user's email address. Returns false when the
 * user has another link to this provider.
 */
export async function storeLink({ db, now }: Pick<TransactionContext, 'db' | 'now'>, userId: string, identity: Identity): Promise<boolean> {
  const { provider, issuer, subject, username, email, emailVerified } = identity
  const emailKey = email !== null && emailVerified ? nameKey(email) : null
  if (emailKey !== null && (await userById(db, userId))?.emailKey === emailKey) await setEmailVerified(db, userId, true)
  return insertLink(db, { userId, provider, issuer, subject, username, emailKey, createdAt: now() })
}
