import { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** The slowest transfer that keeps its connection. */
export interface TransferFloor {
  /** Bytes a second, averaged over `window`. */
  rate: number
  /** Milliseconds of waiting for the client after which the average is checked. */
  window: number
  /** Milliseconds between two samples. */
  every: number
}

/** 1 kB/s averaged over 5 minutes: slower than any usable connection. */
export const transferFloor: TransferFloor = { rate: 1_000, window: 300_000, every: 5_000 }

interface Transfer {
  socket: Socket
  request: FastifyRequest
  reply: FastifyReply
  /** Bytes transferred in either direction up to the last sample. */
  lastTotal: number
  /** Bytes transferred since the window began. */
  transferred: number
  /** Milliseconds spent waiting for the client since the window began. */
  waited: number
}

/**
 * Closes the connection of a client that sends its body, or reads its response, slower than
 * `floor`. Only time that the server spends waiting for the client counts.
 */
export function enforceTransferFloor(app: FastifyInstance, floor: TransferFloor): void {
  const transfers = new Set<Transfer>()
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    if (!(socket instanceof Socket)) return done() // an injected request has no connection
    const transfer: Transfer = { socket, request, reply, lastTotal: bytesOver(socket), transferred: 0, waited: 0 }
    transfers.add(transfer)
    reply.raw.on('close', () => transfers.delete(transfer))
    done()
  })
  const sampling = setInterval(() => {
    for (const transfer of transfers) if (isTooSlow(transfer, floor)) close(transfer)
  }, floor.every)
  sampling.unref()
  app.addHook('onClose', async () => clearInterval(sampling))
}

function isTooSlow(transfer: Transfer, { rate, window, every }: TransferFloor): boolean {
  const total = bytesOver(transfer.socket)
  transfer.transferred += total - transfer.lastTotal
  transfer.lastTotal = total
  if (waitsForClient(transfer)) transfer.waited += every
  if (transfer.waited < window) return false
  const isSlow = transfer.transferred * 1000 < rate * transfer.waited
  transfer.transferred = 0
  transfer.waited = 0
  return isSlow
}

/**
 * Returns whether the server waits for bytes of the body, or for the client to accept the response.
 */
function waitsForClient({ socket, request: { raw } }: Transfer): boolean {
  const waitsForBody = !raw.complete && raw.readableLength === 0
  return waitsForBody || socket.writableLength > 0
}

function close({ socket, request }: Transfer): void {
  request.log.info({ route: request.routeOptions.url ?? 'none' }, 'transfer too slow; connection closed')
  socket.destroy()
}

/** Returns the bytes that a connection has sent and received. */
function bytesOver(socket: Socket): number {
  return socket.bytesRead + socket.bytesWritten - socket.writableLength
}
