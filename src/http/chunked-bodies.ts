import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { AppError } from '../errors.ts'
import { HeldBytes } from './held-bytes.ts'
import { refuseConnection } from './malformed.ts'

/**
 * Pieces and bytes of a body that are received before other work gets its turn. The rest of the
 * connection's current read, up to 64 KiB, is received too.
 */
const piecesPerTurn = 2_000
const bytesPerTurn = 262_144
/** Pieces of at least this many bytes are not gathered. */
const largePiece = 4_096
/** A body of more pieces than this must have this many bytes a piece on average. */
const maxTinyPieces = 10_000
const minAverage = 8

/**
 * Gathers the pieces of bodies in `Transfer-Encoding: chunked`, so that a reader gets those of one
 * turn of the event loop together. Node's own limits count bytes, so a body in chunks of one byte
 * would block the loop for seconds. After 10,000 chunks of under 8 bytes on average, the request
 * is refused and its connection closed.
 */
export function gatherChunkedBodies(server: Server): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const isChunked = request.headers['transfer-encoding'] !== undefined && request.socket instanceof Socket
    if (isChunked) new ChunkedBody(request, response)
  })
}

class ChunkedBody {
  readonly #body: IncomingMessage
  readonly #response: ServerResponse
  readonly #push: IncomingMessage['push']
  readonly #held = new HeldBytes()
  #pieces = 0
  #bytes = 0
  #piecesInTurn = 0
  #isScheduled = false
  #isRefused = false

  constructor(body: IncomingMessage, response: ServerResponse) {
    this.#body = body
    this.#response = response
    this.#push = body.push.bind(body)
    body.push = this.#receive // Node's parser calls it with each piece, and with null at the end
  }

  /** Returns whether more may be read in this turn, as `Readable.push` does. */
  readonly #receive = (piece: Buffer | null): boolean => {
    if (this.#isRefused) return false
    if (piece === null) return this.#end()
    this.#pieces++
    this.#bytes += piece.length
    if (this.#pieces > maxTinyPieces && this.#bytes < minAverage * this.#pieces) return this.#refuse()
    if (piece.length >= largePiece && this.#held.length === 0) return this.#push(piece)
    this.#held.add(piece)
    this.#piecesInTurn++
    this.#schedule()
    const isRead = this.#body.readableLength < this.#body.readableHighWaterMark
    return isRead && this.#piecesInTurn < piecesPerTurn && this.#held.length < bytesPerTurn
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#piecesInTurn = 0
      this.#pass()
    })
  }

  #pass(): void {
    if (this.#body.destroyed) return
    for (const bytes of this.#held.take()) this.#push(bytes)
  }

  #end(): boolean {
    this.#pass()
    return this.#push(null)
  }

  #refuse(): false {
    this.#isRefused = true
    const { socket } = this.#body
    const message = `must have at least ${minAverage} bytes in a chunk on average`
    const issue = { path: '', message, rule: 'chunks_too_small', params: { limit: minAverage } }
    const mayRespond = this.#response.socket === socket && !this.#response.headersSent && socket.writable
    if (mayRespond) refuseConnection(socket, new AppError('validation_failed', { issues: [issue] }))
    else socket.destroy()
    return false
  }
}
