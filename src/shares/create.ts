import type { FastifyReply, FastifyRequest } from 'fastify'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { callerOf } from '../http/guards.ts'
import { consumeHash } from '../http/hash-attempts.ts'
import { addressKey } from '../http/networks.ts'
import { withMails } from '../mail/allowance.ts'
import type { NewShare } from './contract.ts'
import { setOwnerCookie } from './owner.ts'
import type { Share } from './queries.ts'
import { anyReverseShare } from './reverse/queries.ts'
import { reverseShareOf } from './reverse/reverse-share.ts'
import { create } from './service.ts'

type Creating = Pick<Context, 'db' | 'env' | 'limiters' | 'now' | 'queue' | 'sealer'>

/**
 * Refuses visitors with `unauthenticated_shares_disabled`, before their body is read, where they can create nothing: shares without an
 * account are off, and no reverse share exists that the body could name.
 */
export function mayCreate(ctx: Pick<Context, 'db' | 'env'>) {
  return async (request: FastifyRequest): Promise<void> => {
    if (await callerOf(request)) return
    const { 'share.allowUnauthenticatedShares': isAllowed } = await readSettings(ctx)
    if (!isAllowed && !(await anyReverseShare(ctx.db))) throw new AppError('unauthenticated_shares_disabled')
  }
}

/** Makes a share as `createShareRow` does; an anonymous creator gets the cookie with which to go on. */
export async function createShare(
  ctx: Creating,
  request: FastifyRequest,
  reply: FastifyReply,
  input: NewShare,
): Promise<{ share: Share; ownerToken?: string }> {
  const made = await createShareRow(ctx, request, input)
  if (made.ownerToken) setOwnerCookie(ctx, request, reply, made.share, made.ownerToken)
  return made
}

/**
 * Makes a share for whoever calls, through a reverse share where the request names one. Throws what `create` and `reverseShareOf` do, and
 * `too_many_requests` for callers who have given many shares a password, and `too_many_emails`.
 */
export async function createShareRow(
  ctx: Creating,
  request: FastifyRequest,
  input: NewShare,
): Promise<{ share: Share; ownerToken?: string }> {
  const [settings, caller] = [await readSettings(ctx), await callerOf(request)]
  const through = await reverseShareOf(ctx, request, input)
  if (input.security?.password) await consumeHash(ctx, 'share', { userId: caller?.userId, address: request.ip })
  const creator = { ownerId: caller?.userId ?? null, address: addressKey(request.ip), through }
  const sender = caller ?? { address: request.ip }
  return withMails(ctx, sender, input.recipients ?? [], () => create(ctx, settings, creator, input))
}
