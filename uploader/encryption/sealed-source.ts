import { crc32Combine } from '../../src/storage/streams/crc32.ts'
import type { FileSource } from '../types.ts'
import type { Bytes } from './bytes.ts'
import type { WebCryptoKey } from './keys.ts'
import { type SegmentPosition, sealSegment } from './records.ts'
import { contentOf, sealedSize, segmentContent, segmentCount, segmentsIn } from './segments.ts'

/** Computes the CRC-32 of bytes. */
export type ComputeCrc32 = (bytes: Bytes) => number

/** Reads and encrypts a segment. Returns it with the CRC-32 of its plaintext. */
export type SealPlain = (plain: Blob, key: WebCryptoKey, position: SegmentPosition) => Promise<{ sealed: Bytes; crc32: number }>

interface SealOptions {
  /** The random name of the file on the server. */
  sealedName: string
  /** The key that `fileKeyOf` returns for that name. */
  key: WebCryptoKey | Promise<WebCryptoKey>
  crc32: ComputeCrc32
  /** The CRC-32 of the plaintext, if it was computed before. */
  knownCrc32?: number | undefined
  /** Encrypts elsewhere, such as in a worker; absent: here. */
  seal?: SealPlain
}

/**
 * A file that is encrypted while it is sent, with a fresh salt each time. It has no type and no
 * readable name.
 */
export class SealedSource implements FileSource {
  readonly name: string
  readonly size: number
  readonly type = ''
  readonly lastModified: number
  readonly plain: FileSource
  readonly #options: SealOptions
  readonly #checksums = new Map<number, number>()

  constructor(plain: FileSource, options: SealOptions) {
    this.plain = plain
    this.name = options.sealedName
    this.size = sealedSize(plain.size)
    this.lastModified = plain.lastModified
    this.#options = options
  }

  /** Returns whole segments as a blob-like object. Call its `toBlob` where a real Blob is needed. */
  slice(start: number, end: number): Blob {
    return new SealedSlice(this, start, Math.min(end, this.size)) as unknown as Blob // the uploader uses only what SealedSlice implements
  }

  /** Encrypts one segment. */
  async segment(number: number): Promise<Bytes> {
    const { plain } = this
    const { key, seal = this.#sealHere } = this.#options
    const start = number * segmentContent
    const content = plain.slice(start, start + contentOf(plain.size, number))
    const { sealed, crc32 } = await seal(content, await key, { number, count: segmentCount(plain.size) })
    this.#checksums.set(number, crc32)
    return sealed
  }

  readonly #sealHere: SealPlain = async (plain, key, position) => {
    const content = new Uint8Array(await plain.arrayBuffer())
    return { sealed: await sealSegment(key, position, content), crc32: this.#options.crc32(content) }
  }

  /** Returns the CRC-32 of the plaintext; null unless it is known or every segment was encrypted here. */
  crc32(): number | null {
    if (this.#options.knownCrc32 !== undefined) return this.#options.knownCrc32
    let sum = 0
    for (let number = 0; number < segmentCount(this.plain.size); number++) {
      const next = this.#checksums.get(number)
      if (next === undefined) return null
      sum = crc32Combine(sum, next, contentOf(this.plain.size, number))
    }
    return sum
  }
}

/** The part of Blob that the uploader uses, on segments that are encrypted when they are read. */
class SealedSlice implements Pick<Blob, 'size' | 'stream' | 'arrayBuffer'> {
  readonly #source: SealedSource
  readonly #start: number
  readonly size: number

  constructor(source: SealedSource, start: number, end: number) {
    this.#source = source
    this.#start = start
    this.size = end - start
  }

  /** Returns plaintext, because the uploader only uses it to see whether the file can be read. */
  slice(): Blob {
    return this.#source.plain.slice(0, Math.min(1, this.#source.plain.size))
  }

  stream(signal?: AbortSignal): ReadableStream<Bytes> {
    const source = this.#source
    const { first, end } = segmentsIn(source.plain.size, this.#start, this.#start + this.size)
    let next = first
    return new ReadableStream<Bytes>({
      async pull(controller) {
        signal?.throwIfAborted()
        if (next === end) controller.close()
        else controller.enqueue(await source.segment(next++))
      },
    })
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return new Response(this.stream()).arrayBuffer()
  }

  /** Encrypts the slice into memory, until `signal` aborts. */
  toBlob(signal?: AbortSignal): Promise<Blob> {
    return new Response(this.stream(signal)).blob()
  }
}
