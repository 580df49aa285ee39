import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { AppError } from '../../errors.ts'
import { addressKey } from '../../http/networks.ts'
import { consumeAttempt, refundAttempt } from '../../http/rate-limit.ts'
import { logAccess, orLockedOut } from '../../http/security-events.ts'
import { lockedUser } from '../../users/queries.ts'
import { challengeLifetime, challengesPerAddress, secondFactorAttemptsPerAddress } from '../limits.ts'
import { type Device, type StartedSession, startSession } from '../sessions/sessions.ts'
import { consumeLoginToken, countAttempt, userOfLoginToken } from '../totp/login-tokens.ts'
import type { FactorContext } from '../totp/second-factor.ts'
import { challengeOf, checkAssertion, isHandleOf, requestOptions, type Site } from './passkeys.ts'
import { consumeChallenge, insertChallenge, passkeyByCredential, passkeysOf, recordPasskeyUse, type StoredPasskey } from './queries.ts'

/**
 * Begins a sign-in by passkey: by any of the site's; with a login token, as second factor, by one of that user's. Throws `too_many_requests`,
 * `invalid_login_token` or `token_expired`, and `passkey_rejected` when that user has none here.
 */
export async function beginPasskeySignIn(ctx: FactorContext, site: Site, loginToken: string | undefined, address: string) {
  await consumeAttempt(ctx, challengesPerAddress, addressKey(address))
  const userId = loginToken === undefined ? null : await userOfLoginToken(ctx, loginToken)
  const allowed = userId === null ? undefined : (await passkeysOf(ctx.db, userId)).filter(({ rpId }) => rpId === site.rpID)
  if (allowed?.length === 0) throw new AppError('passkey_rejected')
  const options = await requestOptions(site, allowed)
  const expiresAt = new Date(ctx.now().getTime() + challengeLifetime * 1000)
  await insertChallenge(ctx.db, options.challenge, { purpose: purposeOf(userId), userId }, expiresAt)
  return options
}

interface Answer {
  response: AuthenticationResponseJSON
  loginToken?: string
}

/** Signs in whose passkey this is. Throws `passkey_rejected`, `too_many_requests`, and with a login token `invalid_login_token` or `token_expired`. */
export async function signInWithPasskey(
  ctx: FactorContext,
  site: Site,
  { response, loginToken }: Answer,
  device: Device,
): Promise<StartedSession> {
  const from = addressKey(device.address)
  await orLockedOut(ctx, { userId: null, method: 'passkey' }, consumeAttempt(ctx, secondFactorAttemptsPerAddress, from))
  const expected = loginToken === undefined ? null : await countAttempt(ctx, loginToken)
  const passkey = await checkedPasskey(ctx, site, response, expected).catch((error) => {
    logAccess(ctx, expected === null ? 'sign_in_failed' : 'second_factor_failed', { userId: expected, method: 'passkey' })
    throw error
  })
  const started = await ctx.db.transaction().execute(async (db) => {
    const user = await lockedUser(db, passkey.userId)
    if (!user || !(await recordPasskeyUse(db, passkey.id, { counter: passkey.newCounter, now: ctx.now() }))) {
      throw new AppError('passkey_rejected')
    }
    if (loginToken !== undefined && !(await consumeLoginToken(db, loginToken))) throw new AppError('invalid_login_token')
    return startSession({ ...ctx, db }, user, device)
  })
  logAccess(ctx, 'sign_in', { userId: passkey.userId, method: 'passkey' })
  await refundAttempt(ctx, secondFactorAttemptsPerAddress, from)
  return started
}

/** The stored passkey that has answered, with its new counter. `expected`: whose it must be, where the first factor has told. */
async function checkedPasskey(ctx: FactorContext, site: Site, response: AuthenticationResponseJSON, expected: string | null) {
  const challenge = challengeOf(response)
  const taken = await consumeChallenge(ctx.db, challenge, { purpose: purposeOf(expected), userId: expected }, ctx.now())
  const passkey = await passkeyByCredential(ctx.db, response.id)
  if (!taken || !passkey || passkey.rpId !== site.rpID || !isFrom(passkey, response, expected)) throw new AppError('passkey_rejected')
  return { ...passkey, newCounter: await checkAssertion(site, response, challenge, passkey) }
}

/** Which user a passkey of the site's is for it says itself; one that was asked for may leave that out (Web Authentication, 7.2). */
function isFrom({ userId }: StoredPasskey, { response }: AuthenticationResponseJSON, expected: string | null): boolean {
  const handle = response.userHandle
  if (expected === null) return isHandleOf(handle, userId)
  return userId === expected && (!handle || isHandleOf(handle, userId))
}

function purposeOf(userId: string | null) {
  return userId === null ? 'sign-in' : 'second-factor'
}
