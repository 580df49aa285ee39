import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendCsv } from '../../activity/csv.ts'
import { type ActivityEntry, activityCounts, activityOf, countActivity, csvRows } from '../../activity/queries.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { isUuid } from '../../http/formats.ts'
import { signedIn, userOf } from '../../http/guards.ts'
import { endpoints } from '../../http/route.ts'
import { rowRangeOf } from '../../shares/lists/queries.ts'
import { isPermitted } from '../../shares/owner.ts'
import { reverseShareById } from '../queries.ts'
import { reverseActivityContract, UploadLinkActivity } from './contract.ts'

const columns = Object.keys(UploadLinkActivity.properties) as (keyof UploadLinkActivity)[]

/** Registers the calls for what happened through an upload link. */
export function reverseActivityRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, reverseActivityContract)
  const reading = { onRequest: signedIn('shares:read') }

  on('GET /api/reverseShares/:id/activity', reading, async (request, reply) => {
    const { id } = await ownLink(ctx, request, request.params.id, { admins: false })
    const [rows, count] = await Promise.all([
      activityOf(ctx.db, { reverseShareId: id }, rowRangeOf(request.query)),
      countActivity(ctx.db, { reverseShareId: id }),
    ])
    reply.header('x-total-count', count)
    return rows.map(present)
  })

  on('GET /api/reverseShares/:id/activity.csv', reading, async (request, reply) => {
    const { id, token } = await ownLink(ctx, request, request.params.id, { admins: false })
    const rows = await activityOf(ctx.db, { reverseShareId: id }, { limit: csvRows, offset: 0 })
    return sendCsv(reply, token, columns, rows.map(present))
  })

  on('GET /api/reverseShares/:id/activity/counts', reading, async (request) => {
    const { id } = await ownLink(ctx, request, request.params.id, { admins: true })
    return { opened: 0, begun: 0, received: 0, refused: 0, ...(await activityCounts(ctx.db, { reverseShareId: id })) }
  })
}

/**
 * Returns an upload link of the caller, or any for administrators if `admins`.
 * @throws {AppError} reverse_share_not_found
 * @throws {AppError} forbidden
 */
async function ownLink({ db }: Pick<Context, 'db'>, request: FastifyRequest, id: string, { admins }: { admins: boolean }) {
  const caller = userOf(request)
  const link = isUuid(id) ? await reverseShareById(db, id) : undefined
  if (!link) throw new AppError('reverse_share_not_found')
  const isAdmin = admins && caller.isAdmin && isPermitted(caller, 'admin')
  if (link.ownerId !== caller.userId && !isAdmin) throw new AppError('forbidden')
  return link
}

function present({ at, kind, link, visitor, ...row }: ActivityEntry): UploadLinkActivity {
  const { shareId, files, bytes, senderName, senderEmail, reason, device, address } = row
  return {
    at: at.toISOString(),
    kind: kind as UploadLinkActivity['kind'], // the others are of shares
    link,
    visitor,
    ...(shareId !== null && { share: shareId }),
    ...(files !== null && { files }),
    ...(bytes !== null && { bytes }),
    ...(senderName !== null && { senderName }),
    ...(senderEmail !== null && { senderEmail }),
    ...(reason !== null && { reason }),
    ...(device !== null && { device }),
    ...(address !== null && { address }),
  }
}
