import { atOnce, type Steps } from '../../process/steps.ts'
import { utf8Length } from '../../utf8-length.ts'
import { centralRecord, centralRecordLength, endLength, endRecords, localHeader, localHeaderLength, type ZipEntry } from './records.ts'

const MAX_NAME_BYTES = 0xffff
/** Entries that are planned before other work gets its turn. */
const ENTRIES_PER_STEP = 64

/** An entry with the key of its object in the store. */
export interface StoredEntry extends ZipEntry {
  key: string
}

/**
 * A planned zip with stored entries (method 0); its bytes are generated on demand. For n entries it
 * has these pieces: n local headers, each with its data, n central records, and the end. `offsets`
 * holds the start of each piece, then the total size.
 */
export interface ZipPlan {
  entries: readonly StoredEntry[]
  offsets: Float64Array
  /** Bytes of the whole archive: its Content-Length. */
  size: number
  /** Resolves when a piece is planned, which may happen while others are sent; absent: all are. */
  planned?(piece: number): Promise<void>
}

/**
 * Plans an archive (APPNOTE 6.3.10, 4.3.6) from names, sizes and CRCs, in their order. Names come
 * from `zipNames`.
 *
 * @throws {RangeError} a name exceeds 65,535 bytes, a size is not a whole number from 0, or the
 *   total exceeds 2^53 - 1 bytes
 */
export function planZip(entries: readonly StoredEntry[]): ZipPlan {
  return atOnce(planZipSteps(entries))
}

/**
 * Plans an archive like `planZip`, in steps.
 *
 * @throws {RangeError} as `planZip`
 */
export function* planZipSteps(entries: readonly StoredEntry[]): Steps<ZipPlan> {
  const layout = new Layout(entries.length)
  for (const [index, entry] of entries.entries()) {
    layout.add(entry)
    if (index % ENTRIES_PER_STEP === 0) yield
  }
  return yield* layout.finish()
}

/** Lays out an archive while its entries arrive. Their number is known. */
export class Layout {
  /** The entries so far. */
  readonly entries: StoredEntry[]
  /** The starts of the pieces so far; infinity for the others. */
  readonly offsets: Float64Array
  readonly #nameBytes: Uint16Array
  #added = 0

  constructor(count: number) {
    this.entries = new Array(count)
    this.offsets = new Float64Array(2 * count + 2).fill(Number.POSITIVE_INFINITY)
    this.offsets[0] = 0
    this.#nameBytes = new Uint16Array(count)
  }

  /**
   * Adds the next entry.
   *
   * @throws {RangeError} there are more entries than announced, a name exceeds 65,535 bytes, or a
   *   size is not a whole number from 0
   */
  add(entry: StoredEntry): void {
    const index = this.#added++
    if (index >= this.entries.length) throw new RangeError('The archive has too many entries')
    const nameBytes = checkedNameBytes(entry)
    this.entries[index] = entry
    this.#nameBytes[index] = nameBytes
    this.offsets[index + 1] = offsetOf(this, index) + localHeaderLength(nameBytes, entry.size) + entry.size
  }

  /**
   * Lays out the central directory, after the last entry, in steps.
   *
   * @throws {RangeError} there are fewer entries than announced, or the total exceeds 2^53 - 1 bytes
   */
  *finish(): Steps<ZipPlan> {
    const { entries, offsets } = this
    const count = entries.length
    if (this.#added < count) throw new RangeError('The archive has too few entries')
    const directoryOffset = offsetOf(this, count)
    let offset = directoryOffset
    for (const [index, { size }] of entries.entries()) {
      offsets[count + index] = offset
      offset += centralRecordLength(this.#nameBytes[index] ?? 0, size, offsetOf(this, index))
      if (index % ENTRIES_PER_STEP === 0) yield
    }
    offsets[2 * count] = offset
    const size = offset + endLength(count, offset - directoryOffset, directoryOffset)
    if (!Number.isSafeInteger(size)) throw new RangeError('The archive is too large')
    offsets[2 * count + 1] = size
    return { entries, offsets, size }
  }
}

/**
 * Returns the start of a piece; for the number of pieces, the total size.
 *
 * @throws {RangeError} there is no such piece
 */
export function offsetOf({ offsets }: Pick<ZipPlan, 'offsets'>, piece: number): number {
  const offset = offsets[piece]
  if (offset === undefined) throw new RangeError(`The archive has no piece ${piece}`)
  return offset
}

/** Finds the piece that contains the byte at `position` (0 to size - 1) by binary search. */
export function pieceAt(plan: ZipPlan, position: number): number {
  let low = 0
  let high = plan.offsets.length - 2
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (offsetOf(plan, middle) <= position) low = middle
    else high = middle - 1
  }
  return low
}

/** Finds a piece like `pieceAt`. All pieces must be planned for that, unless it is the first one. */
export async function plannedPieceAt(plan: ZipPlan, position: number): Promise<number> {
  await plan.planned?.(position === 0 ? 0 : plan.offsets.length - 2)
  return pieceAt(plan, position)
}

/**
 * Returns the bytes of a piece without the entry's data. Generated at each call, so that no whole
 * directory is in memory.
 */
export function pieceHeader(plan: ZipPlan, piece: number): Uint8Array<ArrayBuffer> {
  const count = plan.entries.length
  const entry = plan.entries[piece % count]
  if (piece < count && entry) return localHeader(entry)
  if (piece < 2 * count && entry) return centralRecord(entry, offsetOf(plan, piece - count))
  const directoryOffset = offsetOf(plan, count)
  return endRecords(count, offsetOf(plan, 2 * count) - directoryOffset, directoryOffset)
}

function checkedNameBytes({ name, size }: ZipEntry): number {
  const bytes = utf8Length(name)
  if (bytes > MAX_NAME_BYTES) throw new RangeError('A name in the archive is too long')
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError(`Invalid size: ${size}`)
  return bytes
}
