import type { Bytes } from '../../uploader/encryption/bytes.ts'
import { chunksOf } from './streams.ts'

/** Attempts in a row without a byte. */
const attempts = 6
const delay = 500 // ms

/** A refusal that another attempt doesn't change. */
class Refused extends Error {}

/**
 * Generates stored bytes from `start` up to `end`. If the connection is cut, such as while a download
 * is paused, another request continues where it ended.
 * @throws {Error} the server refuses, or can't be reached
 */
export async function* storedChunks(address: string, start: number, end: number, signal: AbortSignal): AsyncGenerator<Bytes, void> {
  let failures = 0
  for (let at = start; at < end; ) {
    try {
      for await (const chunk of chunksOf(await open(address, at, end, signal))) {
        at += chunk.length
        failures = 0
        yield chunk
      }
      if (at < end) throw new Error('The connection was cut')
    } catch (error) {
      failures++
      if (signal.aborted || error instanceof Refused || failures === attempts) throw error
      await new Promise((resolve) => setTimeout(resolve, delay * failures))
    }
  }
}

async function open(address: string, start: number, end: number, signal: AbortSignal): Promise<ReadableStream<Bytes>> {
  const response = await fetch(address, { headers: { range: `bytes=${start}-${end - 1}` }, cache: 'no-store', signal })
  if (response.status === 206 && response.body) return response.body
  const isTemporary = response.status === 429 || response.status >= 500
  throw isTemporary ? new Error(`Status ${response.status}`) : new Refused(`Status ${response.status}`)
}
