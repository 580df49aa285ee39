import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import type { ProxyFacts } from './contract.ts'

const maxBytes = 16 * 1_048_576
const pieces = 4
const pieceBytes = 1_024
const pieceInterval = 400 // ms

/**
 * Reads a body of up to 16 MiB, and returns how the request arrived through the proxies.
 *
 * @throws {AppError} payload_too_large
 */
export async function factsOf(request: FastifyRequest, trustProxy: readonly string[]): Promise<ProxyFacts> {
  const begin = performance.now()
  let received = 0
  if (request.body instanceof Readable) {
    for await (const chunk of request.body as AsyncIterable<Buffer>) {
      received += chunk.length
      if (received > maxBytes) throw new AppError('payload_too_large')
    }
  }
  const { ip, protocol, host, headers, raw } = request
  return {
    received,
    bodyTime: Math.round(performance.now() - begin),
    address: ip,
    peer: raw.socket.remoteAddress ?? ip,
    protocol,
    host,
    isForwarded: headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined,
    trustsProxy: trustProxy.length > 0,
  }
}

/** Returns four pieces with 400 ms between them, after `wait` seconds without any byte. */
export function slowPieces(wait: number): Readable {
  return Readable.from(
    (async function* () {
      await sleep(wait * 1000)
      for (let piece = 0; piece < pieces; piece++) {
        if (piece > 0) await sleep(pieceInterval)
        yield Buffer.alloc(pieceBytes, '.')
      }
    })(),
    { objectMode: false },
  )
}
