import { createHash } from 'node:crypto'
import { finished, type Readable, Transform } from 'node:stream'
import { crc32c } from '@node-rs/crc32'
import { AppError } from '../../errors.ts'

/** Adds up bytes as they pass. */
interface Sum {
  add(bytes: Uint8Array): void
  value(): Buffer
}

const sums = new Map<string, () => Sum>()
sums.set('sha-256', () => {
  const hash = createHash('sha256')
  return { add: (bytes) => hash.update(bytes), value: () => hash.digest() }
})
sums.set('crc32c', () => {
  let crc = 0
  const add = (bytes: Uint8Array) => {
    crc = crc32c(bytes, crc)
  }
  const value = () => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(crc)
    return bytes
  }
  return { add, value }
})

interface Expected {
  sum: Sum
  digest: Buffer
}

/** `algorithm=:base64:`, and parameters, which mean nothing here. */
const member = /^\s*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):\s*(?:;.*)?$/

/**
 * The digests that a Content-Digest header (RFC 9530, a dictionary of RFC 9651) announces for the algorithms crc32c and sha-256; others are passed over.
 * Throws `digest_unsupported` when there is none of these two, or the header is not one.
 */
export function readContentDigest(header: string): Expected[] {
  const members = header.split(',').map((text) => member.exec(text))
  if (members.includes(null)) throw new AppError('digest_unsupported')
  const expected = members.flatMap((match) => {
    const sum = sums.get(match![1]!)?.()
    return sum ? [{ sum, digest: Buffer.from(match![2]!, 'base64') }] : []
  })
  if (expected.length === 0) throw new AppError('digest_unsupported')
  return expected
}

/**
 * Passes `body` on while its digests are taken; `matches` tells the outcome at the end. When the passed stream is given up, the rest of the body is read
 * and thrown away, so that the answer can still go out.
 */
export function watchDigest(body: Readable, expected: Expected[]): { body: Readable; matches(): boolean } {
  const passing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const { sum } of expected) sum.add(chunk)
      done(null, chunk)
    },
  })
  finished(body, { writable: false }, (error) => {
    if (error) passing.destroy(error)
  })
  passing.once('close', () => body.unpipe(passing).resume())
  passing.on('error', () => {}) // whoever reads the stream learns of it too
  body.pipe(passing)
  return { body: passing, matches: () => expected.every(({ sum, digest }) => sum.value().equals(digest)) }
}
