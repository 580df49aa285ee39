import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Logs one line for each request when it is over: method, route pattern, status, ms, bytes that went each way (headers included), and whether the
 * client left early. Never the URL: links and tokens of shares are in it.
 */
export function requestLog(app: FastifyInstance): void {
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const started = performance.now()
    const { socket } = request.raw
    const { bytesRead = 0, bytesWritten = 0 } = socket
    reply.raw.once('close', () => {
      request.log.info(
        {
          method: request.method,
          route: request.routeOptions.url ?? 'none',
          status: reply.raw.statusCode,
          ms: Math.round(performance.now() - started),
          bytesIn: (socket.bytesRead ?? 0) - bytesRead,
          bytesOut: (socket.bytesWritten ?? 0) - bytesWritten,
          ...(reply.raw.writableFinished ? {} : { aborted: true }),
        },
        'request',
      )
    })
  })
}
