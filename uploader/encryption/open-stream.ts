import { type ByteSource, byteSourceOf } from './byte-source.ts'
import type { Bytes } from './bytes.ts'
import { EncryptionError } from './error.ts'
import { ExactReader } from './exact-reader.ts'
import { saltBytes, segmentKeyOf, type WebCryptoKey } from './keys.ts'
import { openRecord } from './records.ts'
import { resultsInOrder, type Task } from './results-in-order.ts'
import { contentOf, recordBytes, recordCount, type SealedRange, sealedRange, segmentCount, tagBytes } from './segments.ts'

/** A file to decrypt. */
export interface SealedFile {
  key: WebCryptoKey
  /** Plaintext bytes, from the share's document. */
  size: number
}

interface StreamOptions {
  /** Which stored bytes there are; absent: all of them. */
  range?: SealedRange
  /** The 16 bytes at `range.saltAt`, where that is not null. */
  salt?: Bytes
}

/** How many records are read and decrypted before their plaintext is asked for: 1 MiB. */
const recordsAhead = 16

/**
 * Decrypts a stream of stored bytes, no faster than it is read. Every record is authenticated before
 * any of its bytes is returned. The stream fails with an EncryptionError `damaged` if the bytes were
 * changed, cut, moved or extended.
 */
export function openStream(sealed: ReadableStream<Uint8Array>, file: SealedFile, options: StreamOptions = {}): ReadableStream<Bytes> {
  const source = byteSourceOf(sealed)
  const records = openedRecords(source, file, options)
  return new ReadableStream<Bytes>({
    async pull(controller) {
      const { done, value } = await records.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => source.cancel(reason),
  })
}

/**
 * Generates the plaintext of stored bytes, one record at a time, and cancels the source at the end.
 * @throws EncryptionError `damaged`
 */
export async function* openedRecords(
  source: ByteSource,
  file: SealedFile,
  { range = sealedRange(file.size), salt }: StreamOptions = {},
): AsyncGenerator<Bytes, void> {
  let { skip, length } = range
  try {
    for await (const record of resultsInOrder(recordsOf(new ExactReader(source), file, range, salt), recordsAhead)) {
      const wanted = record.subarray(skip, skip + length)
      length -= wanted.length
      skip = 0
      if (wanted.length > 0) yield wanted
    }
  } finally {
    await source.cancel().catch(() => {})
  }
}

async function* recordsOf(reader: ExactReader, file: SealedFile, range: SealedRange, salt?: Bytes): AsyncGenerator<Task<Bytes>, void> {
  let { segment: number, record } = range
  let left = range.end - range.start
  for (; left > 0; number++, record = 0) {
    const segment = await openSegment(reader, file, number, record > 0 ? requireSalt(salt) : await reader.read(saltBytes))
    if (record === 0) left -= saltBytes
    for (; left > 0 && record < segment.records; record++) {
      left -= segment.lengthOf(record) + tagBytes
      yield await segment.begin(record)
    }
  }
  await reader.expectEnd()
}

async function openSegment(reader: ExactReader, { key, size }: SealedFile, number: number, salt: Bytes) {
  const segmentKey = await segmentKeyOf(key, salt, number, segmentCount(size))
  const content = contentOf(size, number)
  const records = recordCount(content)
  const lengthOf = (record: number) => Math.min(recordBytes, content - record * recordBytes)
  const begin = async (record: number): Promise<Task<Bytes>> => {
    const sealed = await reader.read(lengthOf(record) + tagBytes)
    return { result: openRecord(segmentKey, record, record === records - 1, sealed) }
  }
  return { records, lengthOf, begin }
}

function requireSalt(salt: Bytes | undefined): Bytes {
  if (salt?.length !== saltBytes) throw new EncryptionError('damaged', 'The salt of the segment is missing.')
  return salt
}
