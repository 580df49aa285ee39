import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { tokenMatches } from '../crypto/tokens.ts'
import { AppError } from '../errors.ts'
import { cookiePath } from '../http/base-path.ts'
import { type Caller, callerOf, type Scope } from '../http/guards.ts'
import { isSecure } from '../http/https-site.ts'
import { consumeProbe, refuseProbers } from '../http/probes.ts'
import { expiredRefusal } from './deletion/grace.ts'
import { linkPattern } from './limits.ts'
import { activeShare, type Share } from './queries.ts'
import { isTurnedOff } from './reverse/queries.ts'

const linkShape = new RegExp(linkPattern)
const day = 86_400 // seconds
const cookieDays = 30

/** Why the caller has access to a share as more than a visitor. */
export type Right = 'owner' | 'admin' | 'receiver' | 'anonymous creator'

/**
 * Returns the share `id` and the caller's right to it.
 * @throws {AppError} share_not_found: also for an uncompleted share of another user; see
 *   `expiredRefusal`
 * @throws {AppError} unauthorized: a visitor without the cookie of a creator asks for an unknown or
 *   uncompleted share, which must look the same, or for the share of an account
 * @throws {AppError} forbidden: the caller has no right to the share
 * @throws {AppError} too_many_requests: the caller probes links
 */
export async function findOwnShare(
  ctx: Pick<Context, 'db' | 'env' | 'limiters' | 'now'>,
  request: FastifyRequest,
  id: string,
): Promise<{ share: Share; right: Right }> {
  await refuseProbers(ctx, request)
  const share = linkShape.test(id) ? await activeShare(ctx.db, id, ctx.now()) : undefined
  if (!share) {
    const expired = (await callerOf(request)) && (await expiredRefusal(ctx, request, id))
    if (expired) throw expired
    await consumeProbe(ctx, request)
    throw absent(request, await callerOf(request), id)
  }
  const caller = await callerOf(request)
  const right = rightOver(share, caller, request)
  if (right) return { share, right }
  await consumeProbe(ctx, request)
  if (!share.completedAt) throw absent(request, caller, id)
  throw new AppError(!caller && share.ownerId ? 'unauthorized' : 'forbidden')
}

/**
 * Returns the same error for an unknown and an uncompleted share. Visitors are asked to sign in,
 * because their session may have ended during an upload.
 */
function absent(request: FastifyRequest, caller: Caller | null, id: string): AppError {
  return new AppError(caller || ownerCookie(id) in request.cookies ? 'share_not_found' : 'unauthorized')
}

/**
 * Returns the share `id` like `findOwnShare`, for callers who want to change it.
 * @throws {AppError} the errors of `findOwnShare`
 * @throws {AppError} forbidden: also for a receiver, who must adopt the share first
 * @throws {AppError} link_turned_off: the caller has sent the share through an upload link that is
 *   turned off. Changes that have begun can be finished
 */
export async function findEditableShare(
  ctx: Pick<Context, 'db' | 'env' | 'limiters' | 'now'>,
  request: FastifyRequest,
  id: string,
): Promise<{ share: Share; right: Right }> {
  const found = await findOwnShare(ctx, request, id)
  if (found.right === 'receiver') throw new AppError('forbidden')
  if (found.right !== 'admin') await refuseWhileOff(ctx, found.share)
  return found
}

/**
 * Refuses the sender of a received share while the upload link is turned off, unless the share is
 * open for uploads.
 * @throws {AppError} link_turned_off
 */
async function refuseWhileOff({ db }: Pick<Context, 'db'>, { reverseShareId, receiverId, uploadOpen }: Share): Promise<void> {
  if (reverseShareId === null || receiverId === null || uploadOpen) return
  if (await isTurnedOff(db, reverseShareId)) throw new AppError('link_turned_off')
}

/**
 * Refuses the sender of a received share, whose links and activity are its receiver's.
 * @throws {AppError} forbidden
 */
export async function refuseSender(request: FastifyRequest, { receiverId }: Pick<Share, 'receiverId'>): Promise<void> {
  if (receiverId !== null && (await callerOf(request))?.userId !== receiverId) throw new AppError('forbidden')
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

/**
 * Sets the cookie that lets an anonymous creator upload and edit, for 30 days or until the share
 * expires.
 */
export function setOwnerCookie(
  { now }: Pick<Context, 'now'>,
  request: FastifyRequest,
  reply: FastifyReply,
  share: Share,
  token: string,
): void {
  const lifetime = share.expiresAt ? (share.expiresAt.getTime() - now().getTime()) / 1000 : Number.POSITIVE_INFINITY
  reply.setCookie(ownerCookie(share.id), token, {
    path: cookiePath(request, '/'),
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(request),
    maxAge: Math.ceil(Math.min(lifetime, cookieDays * day)),
  })
}

/** Sets the cookie of an anonymous creator again after the share's expiration has changed. */
export function renewOwnerCookie(ctx: Pick<Context, 'now'>, request: FastifyRequest, reply: FastifyReply, share: Share): void {
  const token = request.cookies[ownerCookie(share.id)]
  if (token) setOwnerCookie(ctx, request, reply, share, token)
}

/** Whether the caller has a session, or an API token with this scope. */
export function isPermitted(caller: Caller, scope: Scope): boolean {
  return !caller.scopes || caller.scopes.includes(scope)
}

function ownerCookie(id: string): string {
  return `share_${id}_owner`
}
