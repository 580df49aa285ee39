import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { allowed } from './allowed.ts'
import { metricsType } from './metrics.ts'
import { metricsText } from './text.ts'

/** `/metrics` beside the API: only where METRICS_TOKEN is set, and for whoever has it. */
export function metricsRoute(app: FastifyInstance, ctx: Context): void {
  const { metricsToken } = ctx.env
  if (metricsToken === null) return
  app.get('/metrics', { logLevel: 'warn' }, async (request, reply) => {
    if (!allowed(request.headers.authorization, metricsToken)) throw new AppError('unauthorized')
    return reply
      .type(metricsType)
      .header('cache-control', 'no-store')
      .send(await metricsText(ctx))
  })
}
