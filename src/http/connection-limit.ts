import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { AppError } from '../errors.ts'
import { refuseConnection } from './malformed.ts'
import { addressKey } from './networks.ts'

const warnEvery = 60_000 // ms
const retryAfter = 5 // s

/**
 * Refuses connections of an address that has `most` open ones already, with 429 and `Retry-After`. An IPv6 address stands for its /64
 * network. The log names the address at most once a minute, because it may be a proxy that TRUST_PROXY does not name.
 */
export function limitConnections(server: Server, most: number, log: Pick<FastifyBaseLogger, 'warn'>): void {
  const accept = server.listeners('connection') as ((this: Server, socket: Socket) => void)[]
  const open = new Map<string, number>()
  let warned = Number.NEGATIVE_INFINITY
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const address = addressKey(socket.remoteAddress ?? '')
    const before = open.get(address) ?? 0
    if (before >= most) return refuse(socket, address)
    open.set(address, before + 1)
    socket.once('close', () => {
      const left = open.get(address)! - 1
      if (left > 0) open.set(address, left)
      else open.delete(address)
    })
    for (const listener of accept) listener.call(server, socket)
  })

  function refuse(socket: Socket, address: string): void {
    if (performance.now() - warned > warnEvery) {
      warned = performance.now()
      log.warn({ address, most }, 'too many connections from one address; if it is a proxy, set TRUST_PROXY')
    }
    socket.on('error', () => socket.destroy())
    refuseConnection(socket, new AppError('too_many_requests', { retryAfter }))
  }
}
