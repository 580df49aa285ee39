import { createHash, type Hash } from 'node:crypto'
import { Meter } from '../../uploads/form/meter.ts'

interface Expected {
  size: number
  sha1: string | null
}

/**
 * Passes a file's bytes through while it is copied, and compares them with what was found: their
 * number, and the SHA-1 if the product stores one. Other bytes end the stream with an error, and
 * `problem` says which.
 */
export class CopyCheck extends Meter {
  problem: string | null = null
  readonly #expected: Expected
  readonly #hash: Hash | null

  constructor(expected: Expected, onBytes: (count: number) => void) {
    super(async (bytes) => onBytes(bytes))
    this.#expected = expected
    this.#hash = expected.sha1 === null ? null : createHash('sha1')
  }

  override _transform(chunk: Buffer, encoding: BufferEncoding, done: Parameters<Meter['_transform']>[2]): void {
    this.#hash?.update(chunk)
    super._transform(chunk, encoding, done)
  }

  override _flush(done: Parameters<Meter['_flush']>[0]): void {
    const { size, sha1 } = this.#expected
    if (this.bytes !== size) this.problem = `it had ${size} bytes, and ${this.bytes} when it was copied`
    else if (this.#hash && this.#hash.digest('hex') !== sha1) this.problem = 'its bytes do not match their checksum'
    if (this.problem) done(new Error(this.problem))
    else super._flush(done)
  }
}
