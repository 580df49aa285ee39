import { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'

const idleAfter = 120_000 // ms without a byte: the connection is dead, and the client sends again
const linger = 30_000 // ms
/** Chunks of a body that may be read before other work gets its turn: about 10 ms when they have one byte each. */
const chunksPerTurn = 2_000

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

/**
 * Returns a function to call for each chunk of a request's body. After every 2,000 chunks it stops reading the connection
 * until the next turn of the event loop: Node's own limits count bytes, so a body in chunks of one byte would block the
 * loop for seconds.
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
