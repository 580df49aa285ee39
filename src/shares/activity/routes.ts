import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendCsv } from '../../activity/csv.ts'
import { isTimeZone, lastDays } from '../../activity/days.ts'
import { type ActivityEntry, activityCounts, activityCountsSince, activityOf, countActivity, csvRows } from '../../activity/queries.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { refusedField } from '../../http/error-handler.ts'
import { anyone } from '../../http/guards.ts'
import { endpoints } from '../../http/route.ts'
import { rowRangeOf } from '../lists/queries.ts'
import { findEditableShare, findOwnShare, refuseSender } from '../owner.ts'
import type { Share } from '../queries.ts'
import { Activity, activityContract } from './contract.ts'

const columns = Object.keys(Activity.properties) as (keyof Activity)[]
/** Days that are counted unless the caller asks for another number. */
const shownDays = 14
const none = { opened: 0, downloaded: 0, partly: 0, refused: 0, 'handed-out': 0 }

/** Registers the calls for what happened through the links of a share. */
export function activityRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, activityContract)
  const reading = { onRequest: anyone('shares:read') }

  on('GET /api/shares/:id/activity', reading, async (request, reply) => {
    const { uid } = await ownShare(ctx, request, request.params.id)
    const [rows, count] = await Promise.all([
      activityOf(ctx.db, { shareUid: uid }, rowRangeOf(request.query)),
      countActivity(ctx.db, { shareUid: uid }),
    ])
    reply.header('x-total-count', count)
    return rows.map(present)
  })

  on('GET /api/shares/:id/activity.csv', reading, async (request, reply) => {
    const { uid, id } = await ownShare(ctx, request, request.params.id)
    const rows = await activityOf(ctx.db, { shareUid: uid }, { limit: csvRows, offset: 0 })
    return sendCsv(reply, id, columns, rows.map(present))
  })

  on('GET /api/shares/:id/activity/counts', reading, async (request) => {
    const { share, right } = await findEditableShare(ctx, request, request.params.id)
    if (right !== 'admin') await refuseSender(request, share)
    return { ...none, ...(await activityCounts(ctx.db, { shareUid: share.uid })) }
  })

  on('GET /api/shares/:id/activity/days', reading, async (request) => {
    const { days = shownDays, timeZone = 'UTC' } = request.query
    if (!isTimeZone(timeZone)) throw refusedField('timeZone', 'is not the name of a time zone', 'format')
    const { uid } = await ownShare(ctx, request, request.params.id)
    const last = lastDays(days, timeZone, ctx.now())
    const starts = last.map(({ start }) => start)
    const counts = await activityCountsSince(ctx.db, { shareUid: uid }, starts)
    return last.map(({ day }, index) => ({ day, ...none, ...counts[index] }))
  })
}

/**
 * Returns a share whose activity the caller may see: the receiver's if it was received. Administrators
 * see that of their own shares.
 * @throws {AppError} forbidden, and the errors of `findOwnShare`
 */
async function ownShare(ctx: Context, request: FastifyRequest, id: string): Promise<Share> {
  const { share, right } = await findOwnShare(ctx, request, id)
  if (right === 'admin') throw new AppError('forbidden')
  await refuseSender(request, share)
  return share
}

function present({ at, kind, link, visitor, isZip: zip, complete, ...row }: ActivityEntry): Activity {
  const { file, bytes, size, reason, device, address, recipient, currentLink } = row
  return {
    at: at.toISOString(),
    kind: kind as Activity['kind'], // the others are of upload links
    link,
    ...(currentLink !== null && { currentLink }),
    visitor,
    zip,
    complete,
    ...(file !== null && { file }),
    ...(bytes !== null && { bytes }),
    ...(size !== null && { size }),
    ...(reason !== null && { reason }),
    ...(device !== null && { device }),
    ...(address !== null && { address }),
    ...(recipient !== null && { recipient }),
  }
}
