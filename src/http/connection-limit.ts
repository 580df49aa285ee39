import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { AppError } from '../errors.ts'
import { refuseConnection } from './malformed.ts'
import { addressKey } from './networks.ts'

const warnEvery = 60_000 // ms
const retryAfter = 5 // s

/**
 * Refuses connections from an address that already has `max` open ones, with 429 and
 * `Retry-After`. An IPv6 address counts as its /64 network. A warning names the address at most
 * once a minute, because it may be a proxy that is missing from TRUST_PROXY.
 */
export function limitConnections(server: Server, max: number, log: Pick<FastifyBaseLogger, 'warn'>): void {
  const accept = server.listeners('connection') as ((this: Server, socket: Socket) => void)[]
  const open = new Map<string, number>()
  let warnedAt = Number.NEGATIVE_INFINITY
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const address = addressKey(socket.remoteAddress ?? '')
    const count = open.get(address) ?? 0
    if (count >= max) return refuse(socket, address)
    open.set(address, count + 1)
    socket.once('close', () => {
      const remaining = (open.get(address) ?? 0) - 1
      if (remaining > 0) open.set(address, remaining)
      else open.delete(address)
    })
    for (const listener of accept) listener.call(server, socket)
  })

  function refuse(socket: Socket, address: string): void {
    if (performance.now() - warnedAt > warnEvery) {
      warnedAt = performance.now()
      log.warn({ address, max }, 'too many connections from one address; if it is a proxy, set TRUST_PROXY')
    }
    socket.on('error', () => socket.destroy())
    refuseConnection(socket, new AppError('too_many_requests', { retryAfter }))
  }
}
