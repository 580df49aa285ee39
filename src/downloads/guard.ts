import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { callerOf } from '../http/guards.ts'
import { linkPattern } from '../shares/limits.ts'
import { hasOwnerCookie, mayUse } from '../shares/owner.ts'
import { type Door, doorOf, takeView } from './queries.ts'
import { giveUnlock, newUnlock, opens, readUnlock } from './unlock.ts'

const linkShape = new RegExp(linkPattern)

type Guarding = Pick<Context, 'db' | 'now' | 'reader' | 'sealer'>

/** By what someone may see a share: their unlock token, being its owner, or, for bytes alone, its having no password. */
export interface Viewer {
  door: Door
  by: 'token' | 'owner' | 'open door'
}

/** A share that can be visited. Throws `share_not_found` (missing, expired, never completed) and `share_removed`, whose message is the reason. */
export async function findDoor(ctx: Pick<Guarding, 'now' | 'reader'>, id: string): Promise<Door> {
  const door = linkShape.test(id) ? await doorOf(ctx.reader, id, ctx.now()) : undefined
  if (!door) throw new AppError('share_not_found')
  if (door.removedReason !== null) throw new AppError('share_removed', { message: door.removedReason })
  return door
}

/**
 * The one guard before everything of a share that is not public: its page, metadata, bytes and archive. Throws what `findDoor` does, then
 * `share_password_required` or `share_token_required`. Nothing else of the share has been looked at when it does.
 */
export async function viewerOf(ctx: Guarding, request: FastifyRequest, id: string): Promise<Viewer> {
  const viewer = await byteViewerOf(ctx, request, id)
  if (viewer.by === 'open door') throw new AppError('share_token_required')
  return viewer
}

/** The same for bytes, which of a share without password can be had without a token: see `countVisit`. */
export async function byteViewerOf(ctx: Guarding, request: FastifyRequest, id: string): Promise<Viewer> {
  const door = await findDoor(ctx, id)
  const unlock = readUnlock(ctx, request, id)
  if (unlock && opens(unlock, door)) return { door, by: 'token' }
  if (await isOwner(request, door)) return { door, by: 'owner' }
  if (door.passwordHash !== null) throw new AppError('share_password_required')
  return { door, by: 'open door' }
}

/**
 * Counts a visitor who came straight for the bytes as one view, and hands out the token with which the same client's further requests are none. HEAD counts
 * nothing. Throws `share_max_views_exceeded`.
 */
export async function countVisit(ctx: Guarding, request: FastifyRequest, reply: FastifyReply, { door, by }: Viewer): Promise<void> {
  if (by !== 'open door') return
  const head = request.method === 'HEAD'
  if (head ? !door.viewsLeft : !(await takeView(ctx.db, door.uid))) throw new AppError('share_max_views_exceeded')
  if (!head) giveUnlock(request, reply, door.id, newUnlock(ctx, door))
}

async function isOwner(request: FastifyRequest, door: Door): Promise<boolean> {
  if (hasOwnerCookie(request, door)) return true
  const caller = door.ownerId === null ? null : await callerOf(request)
  return caller !== null && caller.userId === door.ownerId && mayUse(caller, 'shares:read')
}
