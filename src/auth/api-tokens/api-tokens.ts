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
 * Makes an API token; what is answered as `token` is not stored and cannot be shown again. Throws `forbidden` when somebody else asks for the scope `admin`,
 * `validation_failed` when it would have run out already, and `too_many_api_tokens`; and as `confirm`.
 */
export async function createApiToken(
  ctx: Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'log'>,
  caller: Caller,
  { name, scopes, expiresAt, password }: NewApiToken,
) {
  const { userId } = caller
  const now = ctx.now()
  const end = expiresAt ? new Date(expiresAt) : null
  if (end && !(end > now)) {
    throw new AppError('validation_failed', { issues: [{ path: 'expiresAt', message: 'must be in the future', rule: 'future' }] })
  }
  await confirm(ctx, caller, password)
  const token = `${apiTokenPrefix}${newToken()}`
  const row = await ctx.db.transaction().execute(async (db) => {
    const user = await lockedUser(db, userId)
    if (!user) throw new AppError('unauthorized')
    if (scopes.includes('admin') && !user.isAdmin) throw new AppError('forbidden')
    if ((await apiTokensOf(db, userId)).length >= apiTokensMax) throw new AppError('too_many_api_tokens', { max: apiTokensMax })
    const stored = { userId, name: name.trim(), tokenHash: hashToken(token), scopes: scopes.join(' '), createdAt: now, expiresAt: end }
    await writeNotice({ ...ctx, db }, user, 'api_token_created')
    return insertApiToken(db, stored)
  })
  logEvent(ctx, 'api_token_created', { userId, by: userId })
  return { ...toApiTokenDTO(row), token }
}

/** The caller's API tokens, the newest first. */
export async function listApiTokens({ db }: Pick<Context, 'db'>, { userId }: Caller) {
  return (await apiTokensOf(db, userId)).map(toApiTokenDTO)
}

/** Deletes an API token of the caller's. Throws `not_found`. */
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
