import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { callerOf } from '../../http/guards.ts'
import { accessCookieOf } from '../../http/session-cookies.ts'
import { visibleText } from '../../invisible-characters.ts'
import type { AskedFields, NewShare, Sender } from '../contract.ts'
import { type ReverseShare, usableReverseShare } from './queries.ts'
import { isReverseUnlocked } from './unlock.ts'

/**
 * The reverse share that a new share is sent through; null for an own share. The body's `reverseShareToken` decides; only where it says nothing, not even
 * null, and the request carries no session, the cookie `reverse_share_token` of compatible clients does: what a signed-in person shares later is never
 * taken for what they once wanted to send. Throws `reverse_share_not_found` (unknown, expired, used up) and `reverse_share_password_required`.
 */
export async function reverseShareOf(
  ctx: Pick<Context, 'db' | 'now' | 'sealer'>,
  request: FastifyRequest,
  input: Pick<NewShare, 'reverseShareToken'>,
): Promise<ReverseShare | null> {
  const named = input.reverseShareToken
  const token = named === undefined ? await cookieToken(request) : named
  if (!token) return null
  const reverse = await usableReverseShare(ctx.db, token, ctx.now())
  if (!reverse) {
    if (named === undefined) return null // the cookie of a link that is over says nothing any more
    throw new AppError('reverse_share_not_found')
  }
  if (!isReverseUnlocked(ctx, request, reverse)) throw new AppError('reverse_share_password_required')
  return reverse
}

async function cookieToken(request: FastifyRequest): Promise<string | undefined> {
  const { reverse_share_token: token } = request.cookies
  if (!token || accessCookieOf(request) || request.headers.authorization || (await callerOf(request))) return undefined
  return token
}

/** What a reverse share asks of its senders. */
export function askedFields({ askName, askEmail, askMessage }: Pick<ReverseShare, 'askName' | 'askEmail' | 'askMessage'>): AskedFields {
  return { name: askName, email: askEmail, message: askMessage }
}

/** What the sender says of themselves, as far as they were asked. Throws `validation_failed` for what they must say and did not. */
export function senderOf(reverse: ReverseShare, said: NewShare['sender']): Sender {
  const asked = askedFields(reverse)
  const fields = ['name', 'email', 'message'] as const
  const answers = fields.map((field) => [field, asked[field] === 'off' ? null : visibleText(said?.[field])] as const)
  const missing = answers.filter(([field, answer]) => asked[field] === 'required' && answer === null)
  if (missing.length > 0) {
    const issues = missing.map(([field]) => ({ path: `sender.${field}`, message: 'must be given', rule: 'required', params: {} }))
    throw new AppError('validation_failed', { issues })
  }
  return Object.fromEntries(answers) as Sender
}
