import type { FastifyRequest } from 'fastify'
import { type ExpressionBuilder, sql } from 'kysely'
import { readSettings, type SettingsSource } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import type { Database, Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { callerOf } from '../../http/guards.ts'
import { linkPattern } from '../limits.ts'

const linkShape = new RegExp(linkPattern)
const day = 86_400_000 // ms

// An expired share stays for `share.graceDays`, so that an account can reopen it. Meanwhile every
// guard and list refuses it, its link stays taken, and its bytes count towards the quota.

/** The current time, and for how many days after it expired a share can be reopened. */
export interface Grace {
  now: Date
  graceDays: number
}

/** Returns the grace that the settings allow now. */
export async function graceOf(ctx: SettingsSource & Pick<Context, 'now'>): Promise<Grace> {
  return { now: ctx.now(), graceDays: (await readSettings(ctx))['share.graceDays'] }
}

/** Returns when an expired share is deleted; null if it hasn't expired. */
export function keptUntil(expiresAt: Date | null, { now, graceDays }: Grace): Date | null {
  return expiresAt && expiresAt <= now ? new Date(expiresAt.getTime() + graceDays * day) : null
}

/** Returns the time since which a share must have expired to be reopened. */
export function graceStart({ now, graceDays }: Grace): Date {
  return new Date(now.getTime() - graceDays * day)
}

/** Selects expired shares that can be reopened. Without an account no one could do so. */
export function isInGrace(grace: Grace) {
  return sql<boolean>`(deleted_at is null and completed_at is not null and (owner_id is not null or receiver_id is not null)
    and expires_at <= ${grace.now} and expires_at > ${graceStart(grace)})`
}

/** Selects the shares that a user can reopen once they have expired: received and own ones. */
export function reopenableBy(userId: string) {
  return (eb: ExpressionBuilder<Database, 'share'>) =>
    eb.or([eb('receiverId', '=', userId), eb.and([eb('ownerId', '=', userId), eb('receiverId', 'is', null)])])
}

/** Selects the share that a link belongs to, which may be one of its further links. */
export function hasLink(id: string) {
  return (eb: ExpressionBuilder<Database, 'share'>) =>
    eb.or([
      eb.and([eb('share.id', '=', id), eb('linkEnabled', '=', true)]),
      eb('share.id', 'in', eb.selectFrom('shareLink').select('shareId').where('shareLink.id', '=', id).where('enabled', '=', true)),
    ])
}

/**
 * Returns the refusal of a share that has expired and can be reopened; undefined if there is none
 * with this link, or if only others may see it. It shows when the share is deleted only to the user
 * who can reopen it.
 */
export async function expiredRefusal(
  ctx: Pick<Context, 'db' | 'env' | 'now'>,
  request: FastifyRequest,
  id: string,
): Promise<AppError | undefined> {
  if (!linkShape.test(id)) return undefined
  const grace = await graceOf(ctx)
  const share = await shareInGrace(ctx.db, id, grace)
  if (!share) return undefined
  const caller = await callerOf(request)
  const isReopener = caller !== null && caller.userId === (share.receiverId ?? share.ownerId) && share.id === id
  if (isReopener && (!caller.scopes || caller.scopes.includes('shares:read')))
    return new AppError('share_not_found', { expired: true, keptUntil: keptUntil(share.expiresAt, grace)?.toISOString() })
  return share.private || (share.id === id && !share.linkEnabled) ? undefined : new AppError('share_not_found', { expired: true })
}

function shareInGrace(db: Db, id: string, grace: Grace) {
  return db
    .selectFrom('share')
    .select(['id', 'ownerId', 'receiverId', 'private', 'linkEnabled', 'expiresAt'])
    .where((eb) => eb.or([eb('id', '=', id), hasLink(id)(eb)]))
    .where('removedReason', 'is', null)
    .where(isInGrace(grace))
    .executeTakeFirst()
}
