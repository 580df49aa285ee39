import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { endpoints } from '../../http/route.ts'
import { askToReopen } from './asking.ts'
import { remindersContract } from './contract.ts'
import { turnOffNotices } from './download-notices.ts'

/** Registers the calls for reopening expired shares and for emails about downloads. */
export function remindersRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, remindersContract)

  on('POST /api/shares/:id/askToReopen', {}, (request) => askToReopen(ctx, request, request.params.id))

  on('POST /api/shares/notices/off', {}, (request) => turnOffNotices(ctx, request.body.token))
}
