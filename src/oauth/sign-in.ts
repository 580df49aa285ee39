import { signUpAttempts } from '../auth/limits.ts'
import { passkeysOf } from '../auth/passkeys/queries.ts'
import { type Device, type StartedSession, startSession } from '../auth/sessions/sessions.ts'
import { afterFirstFactor, type LoginStep } from '../auth/totp/second-factor.ts'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { addressKey } from '../http/networks.ts'
import { consumeAttempt } from '../http/rate-limit.ts'
import { logAccess } from '../http/security-events.ts'
import { bumpVersion } from '../users/credentials.ts'
import { logEvent } from '../users/events.ts'
import { nameKey } from '../users/keys.ts'
import { isFirstUser, lockedUser, type User, userByEmail, userById } from '../users/queries.ts'
import { addUser } from '../users/service.ts'
import { SocialError } from './errors.ts'
import type { Identity } from './identity.ts'
import { insertLink, linkOf, linksOf, lockSubject } from './queries.ts'
import { anotherUsername, usernameFrom } from './usernames.ts'

type SignInContext = Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'log'>
/** `mayBeFirst`: whether they may create the first account of all. */
type NewcomerContext = SignInContext & { mayBeFirst: boolean }
const namesTried = 6

/**
 * Signs in whom a provider has named, or makes an account for them. The second factor is asked for as after a password, unless `oauth.ignoreTotp`. Throws
 * SocialError, and AppError `session_ended` or `too_many_requests`.
 */
export async function signInWith(
  ctx: SignInContext,
  identity: Identity,
  device: Device,
  mayBeFirst: boolean,
): Promise<{ userId: string } & (StartedSession | LoginStep)> {
  const link = await linkOf(ctx.db, identity)
  const user = link
    ? await userById(ctx.db, link.userId)
    : await newcomer({ ...ctx, mayBeFirst: mayBeFirst || device.isLocal || ctx.env.admin !== null }, identity, device)
  if (!user) throw new SocialError('no_user')
  const { 'oauth.ignoreTotp': isEnough } = await readSettings(ctx)
  const next = await (isEnough ? startSession : afterFirstFactor)(ctx, user, device)
  if ('session' in next) logAccess(ctx, 'sign_in', { userId: user.id, method: 'oauth' })
  return { userId: user.id, ...next }
}

/** The user of a provider's account that was not linked a moment ago. */
async function newcomer(ctx: NewcomerContext, identity: Identity, { address }: Device): Promise<User> {
  await consumeAttempt(ctx, signUpAttempts, addressKey(address))
  let username = usernameFrom(identity)
  for (let left = namesTried; ; left--) {
    try {
      return await welcome(ctx, identity, username)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'username_taken' || left === 0) throw asNotLinked(error)
      username = anotherUsername(username)
    }
  }
}

/** Whoever has an account of this address signs in to it first; that there is one is told to who could sign up with the address as well. */
function asNotLinked(error: unknown): unknown {
  return error instanceof AppError && error.code === 'email_taken' ? new SocialError('not_linked') : error
}

/** Finds or makes the user, in one transaction with the link. */
async function welcome(ctx: NewcomerContext, identity: Identity, username: string): Promise<User> {
  const { user, event } = await ctx.db.transaction().execute(async (db) => {
    await lockSubject(db, identity)
    const link = await linkOf(db, identity)
    if (link) return { user: (await userById(db, link.userId))!, event: null } // another tab was faster
    if (identity.email === null) throw new SocialError('no_email')
    if (identity.emailVerified === false) throw new SocialError('unverified_account')
    const found = identity.emailVerified ? await userByEmail(db, identity.email) : undefined
    const inside = { ...ctx, db }
    if (found) return { user: await adopt(inside, identity, found.id), event: 'social_linked' as const }
    return { user: await signUp(inside, identity, { username, email: identity.email }), event: 'user_created' as const }
  })
  if (event) logEvent(ctx, event, { userId: user.id, by: event === 'social_linked' ? user.id : null, how: 'social_login' })
  return user
}

type Inside = Pick<Context, 'env' | 'now'> & { db: Db }

async function signUp(
  ctx: Inside & Pick<NewcomerContext, 'mayBeFirst'>,
  identity: Identity,
  { username, email }: Pick<User, 'username' | 'email'>,
): Promise<User> {
  const isAdmin = await isFirstUser(ctx.db)
  if (isAdmin && !ctx.mayBeFirst) throw new SocialError('setup_code_required')
  if (!isAdmin && !(await readSettings(ctx))['oauth.allowRegistration']) throw new SocialError('no_user')
  const user = await addUser(ctx.db, { username, email, passwordHash: null, isAdmin, createdAt: ctx.now() })
  await storeLink(ctx, user.id, identity)
  return user
}

/** Links an account whose address the provider has verified, where nobody else can have got in to it. */
async function adopt(ctx: Inside, identity: Identity, userId: string): Promise<User> {
  const user = await lockedUser(ctx.db, userId)
  if (!user || !(await isUnclaimed(ctx.db, user, nameKey(identity.email!)))) throw new SocialError('not_linked')
  if (!(await storeLink(ctx, userId, identity))) throw new SocialError('not_linked')
  await bumpVersion(ctx.db, userId)
  return (await userById(ctx.db, userId))!
}

/**
 * Whether an account is still its address's alone: it has no password, and all that signs in to it are accounts elsewhere for which the same address was
 * verified. Otherwise somebody may have made it who never had the address, and waits in it for its owner.
 */
async function isUnclaimed(db: Db, { id, passwordHash, emailKey }: User, verifiedKey: string): Promise<boolean> {
  if (passwordHash !== null || emailKey !== verifiedKey) return false
  const links = await linksOf(db, id)
  if (links.length > 0) return links.every((link) => link.emailKey === verifiedKey)
  return (await passkeysOf(db, id)).length === 0
}

/** Stores the link of an identity; false when the user has another one with this provider. */
export function storeLink({ db, now }: Pick<Inside, 'db' | 'now'>, userId: string, identity: Identity): Promise<boolean> {
  const { provider, issuer, subject, username, email, emailVerified } = identity
  const emailKey = email !== null && emailVerified ? nameKey(email) : null
  return insertLink(db, { userId, provider, issuer, subject, username, emailKey, createdAt: now() })
}
