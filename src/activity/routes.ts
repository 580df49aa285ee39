import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { anyone } from '../http/guards.ts'
import { endpoints } from '../http/route.ts'
import { rowRangeOf } from '../shares/lists/queries.ts'
import { findEditableShare, findOwnShare, refuseSender } from '../shares/owner.ts'
import type { Share } from '../shares/queries.ts'
import { type Activity, activityContract } from './contract.ts'
import { csvOf } from './csv.ts'
import { activityCounts, activityOf, countActivity } from './queries.ts'

const csvRows = 10_000

/** Registers the calls for what happened through the links of a share. */
export function activityRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, activityContract)
  const reading = { onRequest: anyone('shares:read') }

  on('GET /api/shares/:id/activity', reading, async (request, reply) => {
    const { uid } = await ownShare(ctx, request, request.params.id)
    const [rows, count] = await Promise.all([activityOf(ctx.db, uid, rowRangeOf(request.query)), countActivity(ctx.db, uid)])
    reply.header('x-total-count', count)
    return rows.map(present)
  })

  on('GET /api/shares/:id/activity.csv', reading, async (request, reply) => {
    const { uid, id } = await ownShare(ctx, request, request.params.id)
    const rows = await activityOf(ctx.db, uid, { limit: csvRows, offset: 0 })
    return reply
      .type('text/csv; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="activity-${id}.csv"`)
      .send(csvOf(rows.map(present)))
  })

  on('GET /api/shares/:id/activity/counts', reading, async (request) => {
    const { share, right } = await findEditableShare(ctx, request, request.params.id)
    if (right !== 'admin') await refuseSender(request, share)
    const counted = Object.fromEntries((await activityCounts(ctx.db, share.uid)).map(({ kind, count }) => [kind, count]))
    return { opened: 0, downloaded: 0, partly: 0, refused: 0, 'handed-out': 0, ...counted }
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

type Row = Awaited<ReturnType<typeof activityOf>>[number]

function present({ at, kind, link, visitor, isZip: zip, complete, ...row }: Row): Activity {
  const { file, bytes, size, reason, device, address } = row
  return {
    at: at.toISOString(),
    kind,
    link,
    visitor,
    zip,
    complete,
    ...(file !== null && { file }),
    ...(bytes !== null && { bytes }),
    ...(size !== null && { size }),
    ...(reason !== null && { reason }),
    ...(device !== null && { device }),
    ...(address !== null && { address }),
  }
}
