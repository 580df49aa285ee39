import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { callerOf } from '../http/guards.ts'
import { consumeProbe, refuseProbers } from '../http/probes.ts'
import { linkPattern } from '../shares/limits.ts'
import { hasOwnerCookie, isPermitted } from '../shares/owner.ts'
import { type ShareAccess, shareAccessOf } from './queries.ts'
import { readUnlock, unlocks } from './unlock.ts'

const linkShape = new RegExp(linkPattern)

type Guarding = Pick<Context, 'db' | 'limiters' | 'now' | 'reader' | 'sealer'>

/** By what someone may see a share: their unlock token, being its owner or receiver, or, for its bytes and the page that it comes with, its having no password. */
export interface Viewer {
  door: ShareAccess
  by: 'token' | 'owner' | 'open door'
}

/**
 * A share that the caller may visit. Throws `share_not_found` (missing, expired, never completed), `share_removed`, whose message is the reason, and
 * `private_share` for all but who sent and who received it through a reverse share that wants this. Throws `too_many_requests` for who probes links.
 */
export async function findAccess(ctx: Guarding, request: FastifyRequest, id: string): Promise<ShareAccess> {
  if (!readUnlock(ctx, request, id)) await refuseProbers(ctx, request)
  const door = linkShape.test(id) ? await shareAccessOf(ctx.reader, id, ctx.now()) : undefined
  if (!door) {
    await consumeProbe(ctx, request)
    throw new AppError('share_not_found')
  }
  if (door.removedReason !== null) throw new AppError('share_removed', { message: door.removedReason })
  if (door.private && !(await isOwner(request, door))) throw new AppError('private_share')
  return door
}

/**
 * The one guard before everything of a share that is not public: its page, metadata, bytes and archive. Throws what `findAccess` does, then
 * `share_password_required` or `share_token_required`. Nothing else of the share has been looked at when it does.
 */
export async function viewerOf(ctx: Guarding, request: FastifyRequest, id: string): Promise<Viewer> {
  const viewer = await byteViewerOf(ctx, request, id)
  if (viewer.by === 'open door') throw new AppError('share_token_required')
  return viewer
}

/** The same for bytes (see `countVisit`) and what a page comes with (`shareStart`): those of a share without password can be had without a token. */
export async function byteViewerOf(ctx: Guarding, request: FastifyRequest, id: string): Promise<Viewer> {
  const door = await findAccess(ctx, request, id)
  const unlock = readUnlock(ctx, request, id)
  if (unlock && unlocks(unlock, door)) return { door, by: 'token' }
  if (await isOwner(request, door)) return { door, by: 'owner' }
  if (door.passwordHash !== null) throw new AppError('share_password_required')
  return { door, by: 'open door' }
}

async function isOwner(request: FastifyRequest, door: ShareAccess): Promise<boolean> {
  if (hasOwnerCookie(request, door)) return true
  const owners = [door.ownerId, door.receiverId].filter((id) => id !== null)
  const caller = owners.length === 0 ? null : await callerOf(request)
  return caller !== null && owners.includes(caller.userId) && isPermitted(caller, 'shares:read')
}
