import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { tokenMatches } from '../crypto/tokens.ts'
import { AppError } from '../errors.ts'
import { type Caller, callerOf, type Scope } from '../http/guards.ts'
import { isSecure } from '../http/https-site.ts'
import { consumeProbe, refuseProbers } from '../http/probes.ts'
import { linkPattern } from './limits.ts'
import { activeShare, type Share } from './queries.ts'

const linkShape = new RegExp(linkPattern)
const day = 86_400 // s
const cookieDays = 30

/** By what right someone works on a share: it is theirs, they are an administrator, it came through their reverse share, or they made it without an account. */
export type Right = 'owner' | 'admin' | 'receiver' | 'anonymous creator'

/**
 * The share `id` and by what right the caller works on it. Throws `share_not_found`, `unauthorized` for visitors, `forbidden` for other users, and
 * `too_many_requests` for who probes links.
 */
export async function ownShare(
  ctx: Pick<Context, 'db' | 'limiters' | 'now'>,
  request: FastifyRequest,
  id: string,
): Promise<{ share: Share; right: Right }> {
  await refuseProbers(ctx, request)
  const share = linkShape.test(id) ? await activeShare(ctx.db, id, ctx.now()) : undefined
  if (!share) {
    await consumeProbe(ctx, request)
    throw new AppError('share_not_found')
  }
  const caller = await callerOf(request)
  const right = rightOver(share, caller, request)
  if (right) return { share, right }
  await consumeProbe(ctx, request)
  if (!caller) throw new AppError(share.ownerId ? 'unauthorized' : 'forbidden')
  throw new AppError(share.completedAt ? 'forbidden' : 'share_not_found')
}

/** The same for those who may change it: a receiver takes it over first, see `adopt`. */
export async function editableShare(
  ctx: Pick<Context, 'db' | 'limiters' | 'now'>,
  request: FastifyRequest,
  id: string,
): Promise<{ share: Share; right: Right }> {
  const found = await ownShare(ctx, request, id)
  if (found.right === 'receiver') throw new AppError('forbidden')
  return found
}

function rightOver(share: Share, caller: Caller | null, request: FastifyRequest): Right | null {
  if (caller && caller.userId === share.ownerId) return 'owner'
  if (caller?.isAdmin && isPermitted(caller, 'admin')) return 'admin'
  if (caller && caller.userId === share.receiverId && share.completedAt) return 'receiver'
  return hasOwnerCookie(request, share) ? 'anonymous creator' : null
}

/** Whether the request carries the cookie of the share's anonymous creator. */
export function hasOwnerCookie(request: FastifyRequest, { id, ownerTokenHash }: Pick<Share, 'id' | 'ownerTokenHash'>): boolean {
  const token = request.cookies[ownerCookie(id)]
  return token !== undefined && ownerTokenHash !== null && tokenMatches(token, ownerTokenHash)
}

/** Lets an anonymous creator's browser go on uploading and editing, for 30 days from now or until the share expires. */
export function setOwnerCookie(
  { now }: Pick<Context, 'now'>,
  request: FastifyRequest,
  reply: FastifyReply,
  share: Share,
  token: string,
): void {
  const lifetime = share.expiresAt ? (share.expiresAt.getTime() - now().getTime()) / 1000 : Number.POSITIVE_INFINITY
  reply.setCookie(ownerCookie(share.id), token, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(request),
    maxAge: Math.ceil(Math.min(lifetime, cookieDays * day)),
  })
}

/** Has the cookie of an anonymous creator last as long as the share, whose expiration has changed. */
export function renewOwnerCookie(ctx: Pick<Context, 'now'>, request: FastifyRequest, reply: FastifyReply, share: Share): void {
  const token = request.cookies[ownerCookie(share.id)]
  if (token) setOwnerCookie(ctx, request, reply, share, token)
}

/** Whether the caller's session, or their API token by its scopes, may do this. */
export function isPermitted(caller: Caller, scope: Scope): boolean {
  return !caller.scopes || caller.scopes.includes(scope)
}

function ownerCookie(id: string): string {
  return `share_${id}_owner`
}
