import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../metrics/metrics.ts'

/**
 * Counts each request and logs one line when it ends: method, route pattern, status, ms, bytes in
 * each direction (headers included), and whether the client disconnected early. The URL is never
 * logged, because it contains share links and tokens.
 */
export function requestLog(app: FastifyInstance, metrics: Pick<Metrics, 'requestStarted' | 'requestDone'>): void {
  const bytesSinceLast = byteCounter()
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now()
    const { socket } = request.raw
    metrics.requestStarted()
    reply.raw.on('close', () => {
      const ms = performance.now() - startedAt
      const aborted = !reply.raw.writableFinished
      const outcome = { method: request.method, route: request.routeOptions.url ?? 'none', status: reply.raw.statusCode }
      const bytes = bytesSinceLast(socket)
      metrics.requestDone({ ...outcome, ...bytes, aborted, seconds: ms / 1000 })
      request.log.info({ ...outcome, ms: Math.round(ms), ...bytes, ...(aborted && { aborted }) }, 'request')
    })
    done()
  })
}

/**
 * Returns a function that counts a connection's bytes since the last call. A connection serves many
 * requests.
 */
function byteCounter() {
  const counts = new WeakMap<Socket, { read: number; written: number }>()
  return (socket: Socket) => {
    const { read, written } = counts.get(socket) ?? { read: 0, written: 0 }
    const { bytesRead = 0, bytesWritten = 0 } = socket
    counts.set(socket, { read: bytesRead, written: bytesWritten })
    return { bytesIn: bytesRead - read, bytesOut: bytesWritten - written }
  }
}
