import type { Readable } from 'node:stream'
import { AppError } from '../../errors.ts'

/**
 * Reads a stream to its end if it has at most `maxBytes`. Otherwise returns undefined, and all bytes
 * stay in the stream.
 *
 * @throws {AppError} request_timeout: the stream was cut
 * @throws the error with which the stream was destroyed
 */
export async function readSmall(stream: Readable, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  for (let length = 0; !stream.readableEnded; ) {
    const chunk: Buffer | null = stream.read()
    if (!chunk) {
      await untilChanged(stream)
      continue
    }
    chunks.push(chunk)
    length += chunk.length
    if (length <= maxBytes) continue
    stream.unshift(Buffer.concat(chunks))
    return undefined
  }
  return Buffer.concat(chunks) // a copy, so that few bytes don't keep a whole block of the request
}

/** Waits until a stream has more bytes, ends or fails. */
async function untilChanged(stream: Readable): Promise<void> {
  if (stream.readableEnded) return
  if (stream.destroyed) throw stream.errored ?? new AppError('request_timeout')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  stream.on('readable', resolve).on('end', resolve).on('close', resolve).on('error', reject)
  await promise.finally(() => stream.off('readable', resolve).off('end', resolve).off('close', resolve).off('error', reject))
}
