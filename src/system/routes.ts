import type { FastifyInstance } from 'fastify'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { admin } from '../http/guards.ts'
import { endpoints, streamBodies } from '../http/route.ts'
import { systemContract } from './contract.ts'
import { factsOf, slowPieces } from './proxy-test.ts'
import { releaseWatch } from './release.ts'
import { retryJob, systemState } from './service.ts'

/** Registers the calls for administrators about the installation itself. */
export function systemRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, systemContract)
  const newestRelease = releaseWatch(ctx)

  on('GET /api/system', { onRequest: admin }, async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return systemState(ctx)
  })

  on('GET /api/system/release', { onRequest: admin }, async () => {
    const { 'general.checkForUpdates': checks } = await readSettings(ctx)
    return newestRelease(checks)
  })

  app.register(async (bytes) => {
    streamBodies(bytes)
    endpoints(bytes, systemContract)('POST /api/system/proxy-test', { onRequest: admin }, (request) => factsOf(request, ctx.env.trustProxy))
  })

  on('GET /api/system/proxy-test', { onRequest: admin }, async (request, reply) =>
    reply.type('text/plain; charset=utf-8').send(slowPieces(request.query.wait ?? 0)),
  )

  on('POST /api/system/jobs/:queue/:id/retry', { onRequest: admin }, async (request, reply) => {
    await retryJob(ctx, request.params.queue, request.params.id)
    return reply.send()
  })
}
