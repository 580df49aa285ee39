import { createHash } from 'node:crypto'
import { finished, type Readable, Transform } from 'node:stream'
import { crc32c } from '@node-rs/crc32'
import { AppError } from '../../errors.ts'

/** A digest that is computed while bytes pass. */
interface RunningDigest {
  add(bytes: Uint8Array): void
  value(): Buffer
}

const algorithms = new Map<string, () => RunningDigest>()
algorithms.set('sha-256', () => {
  const hash = createHash('sha256')
  return { add: (bytes) => hash.update(bytes), value: () => hash.digest() }
})
algorithms.set('crc32c', () => {
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

interface ExpectedDigest {
  actual: RunningDigest
  expected: Buffer
}

/** `algorithm=:base64:`, then parameters, which are ignored. */
const member = /^\s*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):\s*(?:;.*)?$/

/**
 * Parses the crc32c and sha-256 digests of a Content-Digest header (RFC 9530, a dictionary of RFC
 * 9651). Ignores others.
 *
 * @throws {AppError} digest_unsupported: it has neither of the two, or is malformed
 */
export function readContentDigest(header: string): ExpectedDigest[] {
  const digests = header.split(',').flatMap((text) => {
    const [, algorithm, base64] = member.exec(text) ?? []
    if (algorithm === undefined || base64 === undefined) throw new AppError('digest_unsupported')
    const actual = algorithms.get(algorithm)?.()
    return actual ? [{ actual, expected: Buffer.from(base64, 'base64') }] : []
  })
  if (digests.length === 0) throw new AppError('digest_unsupported')
  return digests
}

/**
 * Passes `body` through while its digests are computed. At the end, `matches` returns whether they
 * are right. When the returned stream is closed early, the rest of the body is read and discarded,
 * so that the response can still be sent.
 */
export function watchDigest(body: Readable, digests: ExpectedDigest[]): { body: Readable; matches(): boolean } {
  const passing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const { actual } of digests) actual.add(chunk)
      done(null, chunk)
    },
  })
  finished(body, { writable: false }, (error) => {
    if (error) passing.destroy(error)
  })
  passing.once('close', () => body.unpipe(passing).resume())
  passing.on('error', () => {}) // the reader of the stream gets the error too
  body.pipe(passing)
  return { body: passing, matches: () => digests.every(({ actual, expected }) => actual.value().equals(expected)) }
}
