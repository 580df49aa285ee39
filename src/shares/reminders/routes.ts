import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { endpoints } from '../../http/route.ts'
import { askToReopen } from './asking.ts'
import { remindersContract } from './contract.ts'

/** Registers the calls about shares that expire. */
export function remindersRoutes(app: FastifyInstance, ctx: Context): void {
  endpoints(app, remindersContract)('POST /api/shares/:id/askToReopen', {}, (request) => askToReopen(ctx, request, request.params.id))
}
