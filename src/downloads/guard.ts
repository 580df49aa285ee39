import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { callerOf } from '../http/guards.ts'
import { consumeProbe, refuseProbers } from '../http/probes.ts'
import { expiredRefusal } from '../shares/deletion/grace.ts'
import { linkPattern } from '../shares/limits.ts'
import { hasOwnerCookie, isPermitted } from '../shares/owner.ts'
import { isVerifiedDevice } from './codes/device-token.ts'
import { type ShareAccess, shareAccessOf } from './queries.ts'
import { readUnlock, unlockableLink, unlocks } from './unlock-token.ts'

const linkShape = new RegExp(linkPattern)

type Guarding = Pick<Context, 'db' | 'env' | 'limiters' | 'now' | 'reader' | 'sealer'>

/**
 * A caller who may see a share, and why: with an unlock token, as owner or recipient, or because it
 * has no password.
 */
export interface Viewer {
  access: ShareAccess
  by: 'token' | 'owner' | 'public'
  /** The visitor that the unlock token names. */
  visitor?: string | undefined
}

/**
 * Finds the share of a link that the caller may visit.
 *
 * @throws the errors of `findLink`
 * @throws {AppError} email_code_required: only a device that its recipient has confirmed may use
 *   the link
 */
export async function findAccess(ctx: Guarding, request: FastifyRequest, id: string): Promise<ShareAccess> {
  const access = await findLink(ctx, request, id)
  if (isVerifiedDevice(ctx, request, access) || (await isOwner(request, access))) return access
  throw new AppError('email_code_required')
}

/**
 * Finds the share of a link that is open, also for a device that its recipient hasn't confirmed.
 *
 * @throws {AppError} share_not_found: it is missing, incomplete or expired; see `expiredRefusal`
 * @throws {AppError} share_removed: with the reason as the message
 * @throws {AppError} link_turned_off: only the owner can use this link now
 * @throws {AppError} private_share: only the sender and the recipient may see it
 * @throws {AppError} too_many_requests: the caller probes links
 */
export async function findLink(ctx: Guarding, request: FastifyRequest, id: string): Promise<ShareAccess> {
  if (!readUnlock(ctx, request, id)) await refuseProbers(ctx, request)
  const access = linkShape.test(id) ? await shareAccessOf(ctx.reader, id, ctx.now()) : undefined
  if (!access) {
    const expired = await expiredRefusal(ctx, request, id)
    if (expired) throw expired
    await consumeProbe(ctx, request)
    throw new AppError('share_not_found')
  }
  if (access.removedReason !== null) throw new AppError('share_removed', { message: access.removedReason })
  if (access.enabled && !access.private) return access
  if (!(await isOwner(request, access))) throw new AppError(access.enabled ? 'private_share' : 'link_turned_off')
  return access
}

/**
 * Guards a share's page and metadata. It runs before anything else of the share is read.
 *
 * @throws the errors of `findAccess`
 * @throws {AppError} share_password_required
 * @throws {AppError} share_token_required
 */
export async function viewerOf(ctx: Guarding, request: FastifyRequest, id: string): Promise<Viewer> {
  const viewer = await byteViewerOf(ctx, request, id)
  if (viewer.by === 'public') throw new AppError('share_token_required')
  return viewer
}

/**
 * Guards a share's bytes (see `countVisit`) and start data (`shareStart`). Shares without a
 * password need no token for these.
 *
 * @throws the errors of `findAccess`
 * @throws {AppError} share_password_required
 */
export async function byteViewerOf(ctx: Guarding, request: FastifyRequest, id: string): Promise<Viewer> {
  const access = await findAccess(ctx, request, id)
  const unlock = readUnlock(ctx, request, id)
  if (unlock && unlocks(unlock, unlockableLink(access))) return { access, by: 'token', visitor: unlock.visitor }
  if (await isOwner(request, access)) return { access, by: 'owner' }
  if (access.passwordHash !== null) throw passwordRequired(access)
  return { access, by: 'public' }
}

/** Returns the error for a visitor without the password. It tells whether the share is encrypted. */
export function passwordRequired({ encrypted }: ShareAccess): AppError {
  return new AppError('share_password_required', encrypted ? { encrypted } : {})
}

/** Returns whether a link asks visitors for a password or a code, so that no cache may keep its bytes. */
export function isProtected({ passwordHash, verifiedRecipient }: ShareAccess): boolean {
  return passwordHash !== null || verifiedRecipient !== null
}

/** Returns whether the caller is the owner or the receiver of a share. */
export async function isOwner(request: FastifyRequest, access: ShareAccess): Promise<boolean> {
  if (hasOwnerCookie(request, access)) return true
  const owners = [access.ownerId, access.receiverId].filter((id) => id !== null)
  const caller = owners.length === 0 ? null : await callerOf(request)
  return caller !== null && owners.includes(caller.userId) && isPermitted(caller, 'shares:read')
}

/** Returns whether the caller created a share, with or without an account. */
export async function isCreator(request: FastifyRequest, access: Pick<ShareAccess, 'id' | 'ownerTokenHash' | 'ownerId'>): Promise<boolean> {
  if (hasOwnerCookie(request, access)) return true
  return access.ownerId !== null && (await callerOf(request))?.userId === access.ownerId
}
