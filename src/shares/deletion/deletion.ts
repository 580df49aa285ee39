import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Right } from '../owner.ts'
import { deleteUnfinished, type Share } from '../queries.ts'
import { queueCleanUp } from '../service.ts'
import { graceOf } from './grace.ts'
import { markDeleted, markOwnDeleted, restoreShares } from './queries.ts'

/**
 * Deletes a share. The user who deleted it can restore it for 30 seconds, unless it was never
 * completed. Its bytes are deleted within a minute after; until then they count towards the quota,
 * so that there is always room to restore it.
 * @throws {AppError} anonymous_share_not_deletable: an anonymous creator can delete it only until
 *   it is completed
 * @throws {AppError} share_not_found
 */
export async function remove(
  ctx: Pick<Context, 'db' | 'now' | 'queue'>,
  { uid, completedAt }: Share,
  { right, userId }: { right: Right; userId: string | undefined },
): Promise<void> {
  // It may have been completed since it was read.
  if (!completedAt && (await deleteUnfinished(ctx.db, uid))) return queueCleanUp(ctx)
  if (!userId || right === 'anonymous creator') throw new AppError('anonymous_share_not_deletable')
  if (!(await markDeleted(ctx.db, uid, { userId, now: ctx.now() }))) throw new AppError('share_not_found')
}

/**
 * Deletes those of these completed shares that a user owns or received, also expired ones that can
 * be reopened. Returns their ids.
 */
export async function removeOwn(ctx: Pick<Context, 'db' | 'env' | 'now'>, userId: string, ids: readonly string[]): Promise<string[]> {
  return markOwnDeleted(ctx.db, ids, { userId, ...(await graceOf(ctx)) })
}

/** Restores those of these shares that the user deleted in the last 30 seconds. Returns their ids. */
export async function undelete(ctx: Pick<Context, 'db' | 'env' | 'now'>, userId: string, ids: readonly string[]): Promise<string[]> {
  return restoreShares(ctx.db, ids, { userId, ...(await graceOf(ctx)) })
}
