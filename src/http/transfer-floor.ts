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

/** 1 kB/s averaged over 5 minutes: slower than any usable line, and fast enough that a connection is not held for nothing. */
export const transferFloor: TransferFloor = { rate: 1_000, window: 300_000, every: 5_000 }

interface Transfer {
  socket: Socket
  request: FastifyRequest
  reply: FastifyReply
  /** Bytes moved in either direction up to the last sample. */
  before: number
  /** Bytes moved since the window began. */
  moved: number
  /** Milliseconds spent waiting for the client since the window began. */
  waited: number
}

/**
 * Closes the connection of every request whose client sends its body, or reads its response, slower than `floor`. Only time in which
 * the server waits for the client counts. Time that the server or its store needs does not.
 */
export function enforceTransferFloor(app: FastifyInstance, floor: TransferFloor): void {
  const transfers = new Set<Transfer>()
  app.addHook('onRequest', async (request, reply) => {
    const { socket } = request.raw
    if (!(socket instanceof Socket)) return // an injected request has no connection
    const transfer: Transfer = { socket, request, reply, before: movedOver(socket), moved: 0, waited: 0 }
    transfers.add(transfer)
    reply.raw.once('close', () => transfers.delete(transfer))
  })
  const sampling = setInterval(() => {
    for (const transfer of transfers) if (isTooSlow(transfer, floor)) close(transfer)
  }, floor.every)
  sampling.unref()
  app.addHook('onClose', async () => clearInterval(sampling))
}

function isTooSlow(transfer: Transfer, { rate, window, every }: TransferFloor): boolean {
  const now = movedOver(transfer.socket)
  transfer.moved += now - transfer.before
  transfer.before = now
  if (waitsForClient(transfer)) transfer.waited += every
  if (transfer.waited < window) return false
  const isSlow = transfer.moved * 1000 < rate * transfer.waited
  transfer.moved = 0
  transfer.waited = 0
  return isSlow
}

/** Whether bytes of the body are missing that could be read now, or bytes of the response are not accepted by the client. */
function waitsForClient({ socket, request: { raw } }: Transfer): boolean {
  const waitsForBody = !raw.complete && raw.readableLength === 0
  return waitsForBody || socket.writableLength > 0
}

function close({ socket, request }: Transfer): void {
  request.log.info({ route: request.routeOptions.url ?? 'none' }, 'transfer too slow; connection closed')
  socket.destroy()
}

/** Bytes that have left or reached this process over a connection. */
function movedOver(socket: Socket): number {
  return socket.bytesRead + socket.bytesWritten - socket.writableLength
}
