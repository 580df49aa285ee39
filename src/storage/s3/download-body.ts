import type { Readable, Writable } from 'node:stream'
import { release } from '../streams/release.ts'
import { releasesBuffer } from '../streams/send-blocks.ts'

/** Bytes written and not yet taken by the receiver: beyond this nothing more is read. */
const MOST_UNDER_WAY = 512 * 1024
const FEW_UNDER_WAY = 256 * 1024

/**
 * Sends all of `body` to `to`, whose end is left open, and resolves when the last byte is with the kernel. Rejects with the body's error, the receiver's
 * own, or `ERR_STREAM_PREMATURE_CLOSE` when it closes; then the body is destroyed.
 */
export async function sendBody(body: Readable, to: Writable): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const ownsChunks = releasesBuffer(to)
  let underWay = 0
  let ended = false
  const closed = () => reject(Object.assign(new Error('The receiver closed before all was sent'), { code: 'ERR_STREAM_PREMATURE_CLOSE' }))
  const taken = (chunk: Buffer) => {
    underWay -= chunk.length
    if (ownsChunks) release(chunk)
    if (ended && underWay === 0) resolve()
    else if (underWay <= FEW_UNDER_WAY) body.resume()
  }
  to.on('error', reject).on('close', closed)
  body.once('error', reject)
  body.on('data', (chunk: Buffer) => {
    underWay += chunk.length
    if (underWay >= MOST_UNDER_WAY) body.pause()
    to.write(chunk, (error) => (error ? reject(error) : taken(chunk)))
  })
  body.once('end', () => {
    ended = true
    if (underWay === 0) resolve()
  })
  if (to.destroyed || to.writableEnded) closed()
  try {
    await promise
  } finally {
    to.off('error', reject).off('close', closed)
    body.on('error', () => {}).destroy()
  }
}
