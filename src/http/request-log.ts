import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Logs one line for each request when it is over: method, route pattern, status, ms, bytes that went each way (headers included), and whether the
 * client left early. Never the URL: links and tokens of shares are in it.
 */
export function requestLog(app: FastifyInstance): void {
  const countOn = byteCounter()
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const started = performance.now()
    const { socket } = request.raw
    reply.raw.once('close', () => {
      request.log.info(
        {
          method: request.method,
          route: request.routeOptions.url ?? 'none',
          status: reply.raw.statusCode,
          ms: Math.round(performance.now() - started),
          ...countOn(socket),
          ...(reply.raw.writableFinished ? {} : { aborted: true }),
        },
        'request',
      )
    })
  })
}

/** Counts what went over a connection since it was asked last: one connection serves many requests. */
function byteCounter() {
  const before = new WeakMap<Socket, { read: number; written: number }>()
  return (socket: Socket) => {
    const { read, written } = before.get(socket) ?? { read: 0, written: 0 }
    const { bytesRead = 0, bytesWritten = 0 } = socket
    before.set(socket, { read: bytesRead, written: bytesWritten })
    return { bytesIn: bytesRead - read, bytesOut: bytesWritten - written }
  }
}
