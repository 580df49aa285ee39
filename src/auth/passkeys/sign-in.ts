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
import { challengeOf, checkAssertion, isHandleOf, type RelyingParty, requestOptions } from './passkeys.ts'
import {
  type ChallengePurpose,
  consumeChallenge,
  insertChallenge,
  passkeyByCredential,
  passkeysOf,
  recordPasskeyUse,
  type StoredPasskey,
} from './queries.ts'

/**
 * Starts a sign-in with a passkey and returns the options for the browser.
 * With a login token, the passkey is the second factor and must be one of that user's.
 * @throws {AppError} too_many_requests
 * @throws {AppError} invalid_login_token, token_expired: as `userOfLoginToken`
 * @throws {AppError} passkey_rejected: when that user has no passkey for this site
 */
export async function beginPasskeySignIn(ctx: FactorContext, relyingParty: RelyingParty, loginToken: string | undefined, address: string) {
  await consumeAttempt(ctx, challengesPerAddress, addressKey(address))
  const userId = loginToken === undefined ? null : await userOfLoginToken(ctx, loginToken)
  const allowed = userId === null ? undefined : (await passkeysOf(ctx.db, userId)).filter(({ rpId }) => rpId === relyingParty.rpID)
  if (allowed?.length === 0) throw new AppError('passkey_rejected')
  const options = await requestOptions(relyingParty, allowed)
  const expiresAt = new Date(ctx.now().getTime() + challengeLifetime * 1000)
  await insertChallenge(ctx.db, options.challenge, purposeFor(userId), expiresAt)
  return options
}

interface PasskeySignIn {
  response: AuthenticationResponseJSON
  loginToken?: string
}

/**
 * Signs in the user of a passkey.
 * @throws {AppError} passkey_rejected
 * @throws {AppError} too_many_requests
 * @throws {AppError} invalid_login_token, token_expired: with a login token, as `countAttempt`
 */
export async function signInWithPasskey(
  ctx: FactorContext,
  relyingParty: RelyingParty,
  { response, loginToken }: PasskeySignIn,
  device: Device,
): Promise<StartedSession> {
  const from = addressKey(device.address)
  await orLockedOut(ctx, { userId: null, method: 'passkey' }, consumeAttempt(ctx, secondFactorAttemptsPerAddress, from))
  const expectedUserId = loginToken === undefined ? null : await countAttempt(ctx, loginToken)
  const passkey = await checkedPasskey(ctx, relyingParty, response, expectedUserId).catch((error) => {
    logAccess(ctx, expectedUserId === null ? 'sign_in_failed' : 'second_factor_failed', { userId: expectedUserId, method: 'passkey' })
    throw error
  })
  const started = await ctx.db.transaction().execute(async (db) => {
    const user = await lockedUser(db, passkey.userId)
    if (!user || !(await recordPasskeyUse(db, passkey.id, { counter: passkey.newCounter, now: ctx.now() }))) {
      throw new AppError('passkey_rejected')
    }
    if (loginToken !== undefined && !(await consumeLoginToken(db, loginToken))) throw new AppError('invalid_login_token')
    return startSession({ ...ctx, db }, user, device, { byPasskey: true })
  })
  logAccess(ctx, 'sign_in', { userId: passkey.userId, method: 'passkey' })
  await refundAttempt(ctx, secondFactorAttemptsPerAddress, from)
  return started
}

/**
 * Verifies a passkey and returns its stored form with the new counter. `expectedUserId` is known
 * after the first factor.
 */
async function checkedPasskey(
  ctx: FactorContext,
  relyingParty: RelyingParty,
  response: AuthenticationResponseJSON,
  expectedUserId: string | null,
) {
  const challenge = challengeOf(response)
  const isValid = await consumeChallenge(ctx.db, challenge, purposeFor(expectedUserId), ctx.now())
  const passkey = await passkeyByCredential(ctx.db, response.id)
  if (!isValid || !passkey || passkey.rpId !== relyingParty.rpID || !isUserOf(passkey, response, expectedUserId))
    throw new AppError('passkey_rejected')
  return { ...passkey, newCounter: await checkAssertion(relyingParty, response, challenge, passkey) }
}

/**
 * A discoverable passkey must send its user's handle; one requested by id may omit it (Web
 * Authentication, 7.2).
 */
function isUserOf({ userId }: StoredPasskey, { response }: AuthenticationResponseJSON, expectedUserId: string | null): boolean {
  const handle = response.userHandle
  if (expectedUserId === null) return isHandleOf(handle, userId)
  return userId === expectedUserId && (!handle || isHandleOf(handle, userId))
}

function purposeFor(userId: string | null): ChallengePurpose {
  return { purpose: userId === null ? 'sign-in' : 'second-factor', userId }
}
