import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Caller } from '../../http/guards.ts'
import { confirm } from '../../users/confirm.ts'
import { bumpVersion } from '../../users/credentials.ts'
import { logEvent } from '../../users/events.ts'
import { writeNotice } from '../../users/notices.ts'
import { lockedUser } from '../../users/queries.ts'
import { challengeLifetime, passkeysMax } from '../limits.ts'
import { markByPasskey } from '../sessions/queries.ts'
import { requireOwnPasskey, requireSignInMethod } from '../sign-in-methods.ts'
import { challengeOf, checkRegistration, creationOptions, type RelyingParty } from './passkeys.ts'
import {
  consumeChallenge,
  deletePasskey,
  insertChallenge,
  insertPasskey,
  passkeysOf,
  renamePasskey,
  type StoredPasskey,
} from './queries.ts'

type PasskeyContext = Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'log'>

/**
 * Starts to add a passkey and returns the options for the browser.
 * @throws {AppError} too_many_passkeys
 * @throws {AppError} second_factor_required: as `requireOwnPasskey`
 * @throws {AppError} wrong_password, confirmation_required, too_many_requests: as `confirm`
 */
export async function beginPasskey(ctx: PasskeyContext, relyingParty: RelyingParty, caller: Caller, password: string | undefined) {
  await requireOwnPasskey(ctx.db, caller)
  const user = await confirm(ctx, caller, password)
  const existing = await passkeysOf(ctx.db, user.id)
  if (existing.length >= passkeysMax) throw new AppError('too_many_passkeys', { max: passkeysMax })
  const options = await creationOptions(relyingParty, user, existing)
  const expiresAt = new Date(ctx.now().getTime() + challengeLifetime * 1000)
  await insertChallenge(ctx.db, options.challenge, { purpose: 'register', userId: user.id }, expiresAt)
  return options
}

/**
 * Adds the passkey that a browser has created after `beginPasskey`.
 * @throws {AppError} passkey_invalid: when it doesn't pass verification, or its challenge is
 *   unknown or expired
 * @throws {AppError} passkey_taken
 * @throws {AppError} too_many_passkeys
 */
export async function addPasskey(
  ctx: PasskeyContext,
  relyingParty: RelyingParty,
  { userId, sessionId }: Caller,
  { name = 'Passkey', response }: { name?: string; response: RegistrationResponseJSON },
) {
  const challenge = challengeOf(response)
  const now = ctx.now()
  if (!(await consumeChallenge(ctx.db, challenge, { purpose: 'register', userId }, now))) throw new AppError('passkey_invalid')
  const credential = await checkRegistration(relyingParty, response, challenge)
  const passkey = await ctx.db.transaction().execute(async (db) => {
    const user = await lockedUser(db, userId)
    if (!user) throw new AppError('unauthorized')
    if ((await passkeysOf(db, userId)).length >= passkeysMax) throw new AppError('too_many_passkeys', { max: passkeysMax })
    const stored = await insertPasskey(db, { ...credential, userId, name: name.trim(), createdAt: now })
    if (!stored) throw new AppError('passkey_taken')
    await bumpVersion(db, userId)
    if (sessionId !== null) await markByPasskey(db, sessionId)
    await writeNotice({ ...ctx, db }, user, 'passkey_added')
    return stored
  })
  logEvent(ctx, 'passkey_added', { userId, by: userId })
  return toPasskeyDTO(passkey)
}

/** Returns the caller's passkeys, the newest first. */
export async function listPasskeys({ db }: Pick<Context, 'db'>, { userId }: Caller) {
  return (await passkeysOf(db, userId)).map(toPasskeyDTO)
}

/**
 * Renames a passkey of the caller.
 * @throws {AppError} not_found
 */
export async function changePasskey({ db }: Pick<Context, 'db'>, { userId }: Caller, id: string, name: string) {
  const passkey = await renamePasskey(db, userId, id, name.trim())
  if (!passkey) throw new AppError('not_found')
  return toPasskeyDTO(passkey)
}

/**
 * Deletes a passkey of the caller.
 * @throws {AppError} not_found
 * @throws {AppError} last_way_in: when the user couldn't sign in without it
 * @throws {AppError} second_factor_required: as `requireOwnPasskey`
 * @throws {AppError} wrong_password, confirmation_required, too_many_requests: as `confirm`
 */
export async function removePasskey(ctx: PasskeyContext, caller: Caller, id: string, password: string | undefined): Promise<void> {
  await requireOwnPasskey(ctx.db, caller)
  const { id: userId } = await confirm(ctx, caller, password)
  await ctx.db.transaction().execute(async (db) => {
    const user = await lockedUser(db, userId)
    if (!user) throw new AppError('unauthorized')
    if (!(await deletePasskey(db, userId, id))) throw new AppError('not_found')
    await requireSignInMethod({ ...ctx, db }, user)
    await bumpVersion(db, userId)
    await writeNotice({ ...ctx, db }, user, 'passkey_deleted')
  })
  logEvent(ctx, 'passkey_deleted', { userId, by: userId })
}

function toPasskeyDTO({ id, name, createdAt, lastUsedAt, backedUp }: StoredPasskey) {
  return { id, name, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null, backedUp }
}
