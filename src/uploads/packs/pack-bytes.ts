import { Transform, type TransformCallback } from 'node:stream'
import { crc32 } from '@node-rs/crc32'

/** The CRC-32 and first bytes of a file in a pack. */
interface FileDigest {
  crc32: number
  /** Its first bytes; empty unless they were asked for. */
  head: Buffer
}

/** Passes the bytes of many files through, and computes the CRC-32 of each. */
export class PackBytes extends Transform {
  readonly files: FileDigest[]
  readonly #ends: number[]
  readonly #headBytes: number
  #position = 0
  #current = 0

  /** `sizes` are those of the files in bytes; `headBytes` is how many bytes of each to keep. */
  constructor(sizes: readonly number[], headBytes: number) {
    super()
    let end = 0
    this.#ends = sizes.map((size) => {
      end += size
      return end
    })
    this.#headBytes = headBytes
    this.files = sizes.map(() => ({ crc32: 0, head: Buffer.alloc(0) }))
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    for (let at = 0; at < chunk.length; ) {
      const end = this.#ends[this.#current]
      const file = this.files[this.#current]
      if (end === undefined || !file) break // the receiver refuses surplus bytes
      const part = chunk.subarray(at, at + end - this.#position)
      this.#add(file, part)
      at += part.length
      this.#position += part.length
      if (this.#position === end) this.#current++
    }
    done(null, chunk)
  }

  #add(file: FileDigest, part: Buffer): void {
    file.crc32 = crc32(part, file.crc32)
    const missing = this.#headBytes - file.head.length
    if (missing > 0) file.head = Buffer.concat([file.head, part.subarray(0, missing)])
  }
}
