import { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'

const idleTimeout = 120_000 // ms without a byte; then the connection counts as dead, and the client retries
/**
 * Chunks of a body that may be read before other work gets its turn: about 10 ms when they have one
 * byte each.
 */
const chunksPerTurn = 2_000

/** The idle timeout of a request's connection. */
export interface IdleWatch {
  /** Starts the timeout: the client has to send now. */
  start(): void
  /** Stops the timeout: the client is not waited for. */
  stop(): void
}

/**
 * Creates an idle timeout that closes the connection after two minutes without a byte. It is
 * stopped until `start`.
 */
export function idleWatch({ raw }: FastifyRequest): IdleWatch {
  const socket = raw.socket instanceof Socket ? raw.socket : null // injected requests have none
  return {
    start: () => void socket?.setTimeout(idleTimeout),
    stop: () => void socket?.setTimeout(0),
  }
}

/**
 * Returns a function to call for each chunk of a request's body. After every 2,000 chunks it stops
 * reading the connection until the next turn of the event loop: Node's own limits count bytes, so a
 * body in chunks of one byte would block the loop for seconds.
 */
export function readPacer({ raw }: FastifyRequest): () => void {
  const { socket } = raw
  if (!(socket instanceof Socket)) return () => {}
  let chunks = 0
  const pause = () => socket.pause()
  const resume = () => {
    chunks = 0
    socket.off('resume', pause)
    socket.resume()
  }
  return () => {
    chunks++
    if (chunks !== chunksPerTurn) return
    socket.on('resume', pause) // Node resumes the socket at each read of the request
    pause()
    setImmediate(resume)
  }
}
