import { EncryptionError } from './error.ts'
import { saltBytes } from './keys.ts'

/** Plaintext of a whole record, in bytes. */
export const recordBytes = 65_536
/** What encryption adds to a record, in bytes. */
export const tagBytes = 16
/** A whole segment as it is stored, in bytes: a salt and 16 records. Parts consist of whole segments. */
export const segmentBytes = 1_048_576
/** Plaintext of a whole segment, in bytes. */
export const segmentContent = segmentBytes - saltBytes - 16 * tagBytes
const sealedRecord = recordBytes + tagBytes

/** Returns how many segments a file of `size` bytes has: one at least. */
export const segmentCount = (size: number): number => Math.max(1, Math.ceil(size / segmentContent))

/** Returns the plaintext of a segment in bytes. */
export const contentOf = (size: number, segment: number): number => Math.min(segmentContent, size - segment * segmentContent)

/** Returns how many records a segment with this much plaintext has: one at least. */
export const recordCount = (content: number): number => Math.max(1, Math.ceil(content / recordBytes))

/** Returns the stored length of a segment with this much plaintext, in bytes. */
export const sealedSegment = (content: number): number => saltBytes + content + recordCount(content) * tagBytes

/** Returns the stored length of a file of `size` bytes. */
export function sealedSize(size: number): number {
  const last = segmentCount(size) - 1
  return last * segmentBytes + sealedSegment(contentOf(size, last))
}

/** Returns how many of the first `size` plaintext bytes belong to whole segments. */
export const resumable = (size: number): number => Math.floor(size / segmentContent) * segmentContent

/** Plaintext bytes from `start` up to `end`. */
export interface PlainRange {
  start: number
  end: number
}

/** The stored bytes that a range of plaintext needs. */
export interface SealedRange {
  /** Stored bytes to fetch, from `start` up to `end`. */
  start: number
  end: number
  /** The first segment and its first record that is fetched. */
  segment: number
  record: number
  /** Where the salt of that segment is if the range does not begin with it: 16 bytes to fetch too. */
  saltAt: number | null
  /** Plaintext bytes to leave out at the beginning. */
  skip: number
  /** Plaintext bytes to return. */
  length: number
}

/**
 * Returns the stored bytes that a range of a file's plaintext needs: whole records.
 * @throws RangeError
 */
export function sealedRange(size: number, { start, end }: PlainRange = { start: 0, end: size }): SealedRange {
  const isWhole = start === 0 && end === size
  if (!isWhole && !(start >= 0 && start < end && end <= size)) throw new RangeError(`No bytes ${start} to ${end} of ${size}`)
  const [segment, last] = [Math.floor(start / segmentContent), Math.max(0, Math.floor((end - 1) / segmentContent))]
  const within = start - segment * segmentContent
  const record = Math.floor(within / recordBytes)
  const contentEnd = Math.min(contentOf(size, last), Math.ceil((end - last * segmentContent) / recordBytes) * recordBytes)
  const first = segment * segmentBytes
  return {
    start: record === 0 ? first : first + saltBytes + record * sealedRecord,
    end: last * segmentBytes + sealedSegment(contentEnd),
    segment,
    record,
    saltAt: record === 0 ? null : first,
    skip: within - record * recordBytes,
    length: end - start,
  }
}

/**
 * Returns the segments that stored bytes from `start` up to `end` consist of.
 * @throws EncryptionError `damaged`: the bytes are not whole segments of the file
 */
export function segmentsIn(size: number, start: number, end: number): { first: number; end: number } {
  const isWhole = start % segmentBytes === 0 && (end % segmentBytes === 0 || end === sealedSize(size))
  if (!isWhole) throw new EncryptionError('damaged', 'The server asks for parts that are not a multiple of 1 MiB.')
  return { first: start / segmentBytes, end: Math.ceil(end / segmentBytes) }
}
