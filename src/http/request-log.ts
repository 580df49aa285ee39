import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Metrics } from '../metrics/metrics.ts'

/**
 * Counts each request and logs one line for it when it is over: method, route pattern, status, ms, bytes that went each way (headers included), and whether the
 * client left early. Never the URL: links and tokens of shares are in it.
 */
export function requestLog(app: FastifyInstance, metrics: Pick<Metrics, 'requestBegun' | 'requestDone'>): void {
  const countOn = byteCounter()
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    const started = performance.now()
    const { socket } = request.raw
    metrics.requestBegun()
    reply.raw.once('close', () => {
      const ms = performance.now() - started
      const aborted = !reply.raw.writableFinished
      const done = { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.raw.statusCode }
      const bytes = countOn(socket)
      metrics.requestDone({ ...done, ...bytes, aborted, seconds: ms / 1000 })
      request.log.info({ ...done, ms: Math.round(ms), ...bytes, ...(aborted && { aborted }) }, 'request')
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
