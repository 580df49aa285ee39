import type { Bytes } from './bytes.ts'
import { EncryptionError } from './error.ts'
import { ExactReader } from './exact-reader.ts'
import { saltBytes, segmentKeyOf, type WebCryptoKey } from './keys.ts'
import { openRecord } from './records.ts'
import { contentOf, recordBytes, recordCount, type SealedRange, sealedRange, segmentCount, tagBytes } from './segments.ts'

/** A file to decrypt. */
export interface SealedFile {
  key: WebCryptoKey
  /** Plaintext bytes, from the share's document. */
  size: number
}

interface StreamOptions {
  /** Which stored bytes the stream has; absent: all of them. */
  range?: SealedRange
  /** The 16 bytes at `range.saltAt`, where that is not null. */
  salt?: Bytes
}

/**
 * Decrypts a stream of stored bytes, one record at a time and no faster than it is read. Every
 * record is authenticated before any of its bytes is returned. The stream fails with an
 * EncryptionError `damaged` if the bytes were changed, cut, moved or extended.
 */
export function openStream(
  sealed: ReadableStream<Uint8Array>,
  file: SealedFile,
  { range = sealedRange(file.size), salt }: StreamOptions = {},
): ReadableStream<Bytes> {
  const reader = new ExactReader(sealed)
  const records = recordsOf(reader, file, range, salt)
  return new ReadableStream<Bytes>({
    async pull(controller) {
      const { done, value } = await records.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

async function* recordsOf(reader: ExactReader, file: SealedFile, range: SealedRange, salt?: Bytes): AsyncGenerator<Bytes, undefined> {
  try {
    let { segment: number, record, skip, length } = range
    let left = range.end - range.start
    for (; left > 0; number++, record = 0) {
      const segment = await openSegment(reader, file, number, record > 0 ? requireSalt(salt) : await reader.read(saltBytes))
      if (record === 0) left -= saltBytes
      for (; left > 0 && record < segment.records; record++) {
        left -= segment.lengthOf(record) + tagBytes
        const wanted = (await segment.open(record)).subarray(skip, skip + length)
        length -= wanted.length
        skip = 0
        if (wanted.length > 0) yield wanted
      }
    }
    await reader.expectEnd()
  } catch (error) {
    await reader.cancel(error).catch(() => {})
    throw error
  }
}

async function openSegment(reader: ExactReader, { key, size }: SealedFile, number: number, salt: Bytes) {
  const segmentKey = await segmentKeyOf(key, salt, number, segmentCount(size))
  const content = contentOf(size, number)
  const records = recordCount(content)
  const lengthOf = (record: number) => Math.min(recordBytes, content - record * recordBytes)
  const open = async (record: number) =>
    openRecord(segmentKey, record, record === records - 1, await reader.read(lengthOf(record) + tagBytes))
  return { records, lengthOf, open }
}

function requireSalt(salt: Bytes | undefined): Bytes {
  if (salt?.length !== saltBytes) throw new EncryptionError('damaged', 'The salt of the segment is missing.')
  return salt
}
