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
 * Returns the reverse share that a new share is sent through; null for an own share.
 * The body's `reverseShareToken` decides. If it is absent and the request has no session, the
 * cookie `reverse_share_token` of compatible clients does. With a session, the cookie could be left
 * over.
 * @throws {AppError} reverse_share_not_found: unknown, expired or used up
 * @throws {AppError} link_turned_off
 * @throws {AppError} reverse_share_password_required
 */
export async function reverseShareOf(
  ctx: Pick<Context, 'db' | 'now' | 'sealer'>,
  request: FastifyRequest,
  input: Pick<NewShare, 'reverseShareToken'>,
): Promise<ReverseShare | null> {
  const bodyToken = input.reverseShareToken
  const token = bodyToken === undefined ? await cookieToken(request) : bodyToken
  if (!token) return null
  const reverse = await usableReverseShare(ctx.db, token, ctx.now())
  if (!reverse?.enabled) {
    if (bodyToken === undefined) return null // the cookie of a link that no longer works is ignored
    throw new AppError(reverse ? 'link_turned_off' : 'reverse_share_not_found')
  }
  if (!isReverseUnlocked(ctx, request, reverse)) throw new AppError('reverse_share_password_required')
  return reverse
}

async function cookieToken(request: FastifyRequest): Promise<string | undefined> {
  const { reverse_share_token: token } = request.cookies
  if (!token || accessCookieOf(request) || request.headers.authorization || (await callerOf(request))) return undefined
  return token
}

/** Returns which fields a reverse share asks its senders for. */
export function askedFields({ askName, askEmail, askMessage }: Pick<ReverseShare, 'askName' | 'askEmail' | 'askMessage'>): AskedFields {
  return { name: askName, email: askEmail, message: askMessage }
}

/**
 * Returns the sender's details that the reverse share asks for.
 * @throws {AppError} validation_failed: a required field is missing
 */
export function requestedSender(reverse: ReverseShare, input: NewShare['sender']): Sender {
  const asked = askedFields(reverse)
  const fields = ['name', 'email', 'message'] as const
  const values = fields.map((field) => [field, asked[field] === 'off' ? null : visibleText(input?.[field])] as const)
  const missing = values.filter(([field, value]) => asked[field] === 'required' && value === null)
  if (missing.length > 0) {
    const issues = missing.map(([field]) => ({ path: `sender.${field}`, message: 'must be given', rule: 'required', params: {} }))
    throw new AppError('validation_failed', { issues })
  }
  return Object.fromEntries(values) as Sender
}
