import { readSession } from '../auth/sessions/queries.ts'
import { requireSignInMethod } from '../auth/sign-in-methods.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Caller } from '../http/guards.ts'
import { confirm } from '../users/confirm.ts'
import { bumpVersion } from '../users/credentials.ts'
import { logEvent } from '../users/events.ts'
import { writeNotice } from '../users/notices.ts'
import { lockedUser } from '../users/queries.ts'
import type { SocialLoginAttempt } from './attempts.ts'
import { SocialError } from './errors.ts'
import type { Identity } from './identity.ts'
import type { Provider } from './limits.ts'
import { deleteLink, linkOf, linksOf, lockSubject } from './queries.ts'
import { storeLink } from './sign-in.ts'

/** Returns the caller's linked accounts by provider. */
export async function linkedAccountsOf({ db }: Pick<Context, 'db'>, { userId }: Caller) {
  const links = await linksOf(db, userId)
  return Object.fromEntries(links.map(({ provider, username }) => [provider, { provider, providerUsername: username }]))
}

/**
 * Links a provider's account to the user of the session that requested it.
 * @throws {SocialError} expired_token: when the session has ended
 * @throws {SocialError} already_linked: when another user has linked the provider's account
 * @throws {SocialError} provider_taken: when the user has linked another account of this provider
 */
export async function addLink(
  ctx: Pick<Context, 'db' | 'env' | 'reader' | 'sealer' | 'now' | 'log'>,
  { userId, sessionId }: NonNullable<SocialLoginAttempt['link']>,
  identity: Identity,
): Promise<void> {
  if (!(await readSession(ctx.reader, sessionId, userId, ctx.now()))) throw new SocialError('expired_token')
  const isNew = await ctx.db.transaction().execute(async (db) => {
    await lockSubject(db, identity)
    const user = await lockedUser(db, userId)
    if (!user) throw new SocialError('expired_token')
    const existing = await linkOf(db, identity)
    if (existing && existing.userId !== userId) throw new SocialError('already_linked')
    if (existing) return false
    if (!(await storeLink({ ...ctx, db }, userId, identity))) throw new SocialError('provider_taken')
    await bumpVersion(db, userId)
    await writeNotice({ ...ctx, db }, user, 'social_linked')
    return true
  })
  if (isNew) logEvent(ctx, 'social_linked', { userId, by: userId })
}

/**
 * Unlinks the caller's account at a provider.
 * @throws {AppError} not_linked
 * @throws {AppError} last_way_in: when the user couldn't sign in without it
 * @throws {AppError} wrong_password, confirmation_required, too_many_requests: as `confirm`
 */
export async function removeLink(
  ctx: Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'log'>,
  caller: Caller,
  provider: Provider,
  password: string | undefined,
): Promise<void> {
  const { id } = await confirm(ctx, caller, password)
  await ctx.db.transaction().execute(async (db) => {
    const user = await lockedUser(db, id)
    if (!user) throw new AppError('unauthorized')
    if (!(await deleteLink(db, id, provider))) throw new AppError('not_linked')
    await requireSignInMethod({ ...ctx, db }, user)
    await bumpVersion(db, id)
    await writeNotice({ ...ctx, db }, user, 'social_unlinked')
  })
  logEvent(ctx, 'social_unlinked', { userId: id, by: id })
}
