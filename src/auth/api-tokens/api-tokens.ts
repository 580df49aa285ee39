import type { Context } from '../../context.ts'
import { hashToken, newToken } from '../../crypto/tokens.ts'
import { AppError } from '../../errors.ts'
import type { Caller } from '../../http/guards.ts'
import { confirm } from '../../users/confirm.ts'
import { logEvent } from '../../users/events.ts'
import { writeNotice } from '../../users/notices.ts'
import { lockedUser } from '../../users/queries.ts'
import { apiTokensMax } from '../limits.ts'
import type { NewApiToken } from './contract.ts'
import { apiTokenPrefix, apiTokensOf, deleteApiToken, insertApiToken, scopesOf } from './queries.ts'

/**
 * Creates an API token. The returned `token` is not stored and can't be shown again.
 * @throws {AppError} forbidden: for the scope `admin`, when the user is not an administrator
 * @throws {AppError} second_factor_required: for the scope `admin`
 * @throws {AppError} validation_failed: when `expiresAt` has passed
 * @throws {AppError} too_many_api_tokens
 * @throws {AppError} wrong_password, confirmation_required, too_many_requests: as `confirm`
 */
export async function createApiToken(
  ctx: Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'log'>,
  caller: Caller,
  { name, scopes, expiresAt, password }: NewApiToken,
) {
  const { userId } = caller
  const now = ctx.now()
  const expiry = expiresAt ? new Date(expiresAt) : null
  if (expiry && !(expiry > now)) {
    throw new AppError('validation_failed', { issues: [{ path: 'expiresAt', message: 'must be in the future', rule: 'future' }] })
  }
  if (scopes.includes('admin') && caller.needsSecondFactor) throw new AppError('second_factor_required')
  await confirm(ctx, caller, password)
  const token = `${apiTokenPrefix}${newToken()}`
  const row = await ctx.db.transaction().execute(async (db) => {
    const user = await lockedUser(db, userId)
    if (!user) throw new AppError('unauthorized')
    if (scopes.includes('admin') && !user.isAdmin) throw new AppError('forbidden')
    if ((await apiTokensOf(db, userId)).length >= apiTokensMax) throw new AppError('too_many_api_tokens', { max: apiTokensMax })
    const stored = { userId, name: name.trim(), tokenHash: hashToken(token), scopes: scopes.join(' '), createdAt: now, expiresAt: expiry }
    await writeNotice({ ...ctx, db }, user, 'api_token_created')
    return insertApiToken(db, stored)
  })
  logEvent(ctx, 'api_token_created', { userId, by: userId })
  return { ...toApiTokenDTO(row), token }
}

/** Returns the caller's API tokens, the newest first. */
export async function listApiTokens({ db }: Pick<Context, 'db'>, { userId }: Caller) {
  return (await apiTokensOf(db, userId)).map(toApiTokenDTO)
}

/**
 * Deletes an API token of the caller.
 * @throws {AppError} not_found
 */
export async function removeApiToken(ctx: Pick<Context, 'db' | 'log'>, { userId }: Caller, id: string): Promise<void> {
  if (!(await deleteApiToken(ctx.db, userId, id))) throw new AppError('not_found')
  logEvent(ctx, 'api_token_deleted', { userId, by: userId })
}

function toApiTokenDTO({ id, name, scopes, createdAt, expiresAt, lastUsedAt }: Awaited<ReturnType<typeof insertApiToken>>) {
  return {
    id,
    name,
    scopes: scopesOf(scopes),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  }
}
