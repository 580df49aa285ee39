import { createHash } from 'node:crypto'
import { centralRecord, centralRecordLength, endLength, endRecords, localHeader, localHeaderLength, type ZipEntry } from './records.ts'

const MAX_NAME_BYTES = 0xffff

/** An entry and where its bytes are: the object's key in the store. */
export interface StoredEntry extends ZipEntry {
  key: string
}

/**
 * A stored (method 0) zip as arithmetic: nothing of it exists. It is a row of pieces: for n entries, n local headers each with its data, n central
 * records, and the end. `offsets` holds where each piece begins, and last the size of the whole.
 */
export interface ZipPlan {
  entries: readonly StoredEntry[]
  offsets: Float64Array
  /** Bytes of the whole archive: its Content-Length. */
  size: number
}

/**
 * Plans an archive (APPNOTE 6.3.10, 4.3.6) from names, sizes and CRCs alone, in the order given. Names come from `zipNames`. Throws RangeError for what
 * no zip can say: a name over 65,535 bytes, a size that is no whole number from 0, or more than 2^53 - 1 bytes in all.
 */
export function planZip(entries: readonly StoredEntry[]): ZipPlan {
  const count = entries.length
  const offsets = new Float64Array(2 * count + 2)
  const nameBytes = new Uint16Array(count)
  let offset = 0
  entries.forEach((entry, index) => {
    nameBytes[index] = checkedNameBytes(entry)
    offsets[index] = offset
    offset += localHeaderLength(nameBytes[index]!, entry.size) + entry.size
  })
  const directoryOffset = offset
  entries.forEach((entry, index) => {
    offsets[count + index] = offset
    offset += centralRecordLength(nameBytes[index]!, entry.size, offsets[index]!)
  })
  offsets[2 * count] = offset
  const size = offset + endLength(count, offset - directoryOffset, directoryOffset)
  if (!Number.isSafeInteger(size)) throw new RangeError('The archive is too large')
  offsets[2 * count + 1] = size
  return { entries, offsets, size }
}

/** The piece that holds the byte at `position` (0 to size - 1), found by halving. */
export function pieceAt({ offsets }: ZipPlan, position: number): number {
  let low = 0
  let high = offsets.length - 2
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (offsets[middle]! <= position) low = middle
    else high = middle - 1
  }
  return low
}

/** The bytes that a piece begins with, all of it but an entry's data; made anew at each call, so that no archive's directory is in memory at once. */
export function pieceHeader({ entries, offsets }: ZipPlan, piece: number): Buffer {
  const count = entries.length
  if (piece < count) return localHeader(entries[piece]!)
  if (piece < 2 * count) return centralRecord(entries[piece - count]!, offsets[piece - count]!)
  return endRecords(count, offsets[2 * count]! - offsets[count]!, offsets[count]!)
}

/** A strong validator (without quotes) of the whole archive: of every header byte, which hold names, times and CRCs, and of the objects' keys. */
export function zipEtag(plan: ZipPlan): string {
  const hash = createHash('sha256')
  const count = plan.entries.length
  for (let piece = count; piece <= 2 * count; piece++) {
    hash.update(pieceHeader(plan, piece))
    if (piece < 2 * count) hash.update(plan.entries[piece - count]!.key)
  }
  return hash.digest('base64url')
}

function checkedNameBytes({ name, size }: ZipEntry): number {
  const bytes = Buffer.byteLength(name)
  if (bytes > MAX_NAME_BYTES) throw new RangeError('A name in the archive is too long')
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`No size: ${size}`)
  return bytes
}
