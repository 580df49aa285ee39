import type { FastifyReply, FastifyRequest } from 'fastify'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { callerOf } from '../http/guards.ts'
import { addressKey, takeTry } from '../http/rate-limit.ts'
import type { NewShare } from './contract.ts'
import { giveOwnerCookie } from './owner.ts'
import type { Share } from './queries.ts'
import { guestMails } from './recipients.ts'
import { reverseShareOf } from './reverse.ts'
import { create } from './service.ts'

/**
 * Makes a share for whoever calls, through a reverse share where the request names one; an anonymous creator gets the cookie with which to go on. Throws what
 * `create` and `reverseShareOf` do, and `too_many_requests` for visitors who have made many shares with recipients.
 */
export async function createShare(
  ctx: Pick<Context, 'db' | 'env' | 'limiters' | 'now' | 'queue' | 'sealer'>,
  request: FastifyRequest,
  reply: FastifyReply,
  input: NewShare,
): Promise<{ share: Share; ownerToken?: string }> {
  const [settings, caller] = [await readSettings(ctx), await callerOf(request)]
  const through = await reverseShareOf(ctx, request, input)
  if (!caller && input.recipients?.length) await takeTry(ctx, guestMails, addressKey(request.ip))
  const created = await create(ctx, settings, { ownerId: caller?.userId ?? null, through }, input)
  if (created.ownerToken) giveOwnerCookie(ctx, request, reply, created.share, created.ownerToken)
  return created
}
