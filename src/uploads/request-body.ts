import { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'

const idleAfter = 120_000 // ms without a byte: the connection is dead, and the client sends again
const linger = 30_000 // ms

/** The watch over a request's connection, while its bytes are waited for. */
export interface Idle {
  watch(): void
  rest(): void
}

/** Cuts the connection when no byte comes for two minutes, until `rest` is called: before an answer, and while others are waited for. */
export function watchIdle({ raw }: FastifyRequest): Idle {
  const socket = raw.socket instanceof Socket ? raw.socket : null // an injected request has none
  return {
    watch: () => void socket?.setTimeout(idleAfter),
    rest: () => void socket?.setTimeout(0),
  }
}

/** Reads what is left of a refused body and throws it away, so that the answer can go out; a client that goes on sending after that is cut. */
export function discardBody({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return
  raw.unpipe()
  raw.resume()
  const late = setTimeout(() => raw.destroy(), linger)
  late.unref()
  raw.once('close', () => clearTimeout(late))
}
