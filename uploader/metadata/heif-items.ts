import { type Box, boxesIn } from './boxes.ts'
import { latin1, viewOf } from './bytes.ts'

/** Bytes of a file that hold a part of an item. */
export interface Extent {
  start: number
  end: number
  isExif: boolean
}

/**
 * Returns the items that hold Exif or XMP, by ID, and whether each is Exif; null if the list of
 * items is malformed.
 */
export function metadataItems(bytes: Uint8Array, boxes: readonly Box[]): Map<number, boolean> | null {
  const list = boxes.find(({ type }) => type === 'iinf')
  if (!list) return new Map()
  const version = bytes[list.start]
  const entries = boxesIn(bytes, list.start + (version === 0 ? 6 : 8), list.end)
  if (!entries) return null
  const view = viewOf(bytes)
  const items = new Map<number, boolean>()
  for (const { start } of entries) {
    const isWide = bytes[start] === 3
    const id = isWide ? view.getUint32(start + 4) : view.getUint16(start + 4)
    const type = latin1(bytes, start + (isWide ? 10 : 8), 4)
    if (type === 'Exif' || type === 'mime' || type === 'uri ') items.set(id, type === 'Exif')
  }
  return items
}

/**
 * Returns where items lie in the file; null if that is not known, so that they can't be erased.
 */
export function extentsOf(bytes: Uint8Array, boxes: readonly Box[], items: ReadonlyMap<number, boolean>): Extent[] | null {
  if (items.size === 0) return []
  const locations = boxes.find(({ type }) => type === 'iloc')
  if (!locations) return null
  try {
    return readLocations(
      bytes,
      locations,
      boxes.find(({ type }) => type === 'idat'),
      items,
    )
  } catch (error) {
    if (error instanceof RangeError) return null // it ends too early
    throw error
  }
}

/** Reads the item location box (ISO/IEC 14496-12, 8.11.3). */
function readLocations(
  bytes: Uint8Array,
  { start, end }: Box,
  data: Box | undefined,
  items: ReadonlyMap<number, boolean>,
): Extent[] | null {
  const reader = new Numbers(bytes.subarray(0, end), start)
  const version = reader.next(1)
  reader.next(3)
  const [offsetSize, lengthSize] = reader.halves()
  const [baseSize, indexSize] = reader.halves()
  const wide = version < 2 ? 2 : 4
  const found: Extent[] = []
  for (let left = reader.next(wide); left > 0; left--) {
    const isExif = items.get(reader.next(wide))
    const method = version === 0 ? 0 : reader.next(2) & 15
    const isOtherFile = reader.next(2) !== 0
    const base = reader.next(baseSize) + (method === 1 ? (data?.start ?? Number.NaN) : 0)
    for (let extents = reader.next(2); extents > 0; extents--) {
      if (version > 0) reader.next(indexSize)
      const from = base + reader.next(offsetSize)
      const to = from + reader.next(lengthSize)
      if (isExif === undefined) continue
      if (method > 1 || isOtherFile || !(to > from && to <= bytes.length)) return null
      found.push({ start: from, end: to, isExif })
    }
  }
  return found
}

/** Reads big-endian numbers one after another. */
class Numbers {
  readonly #view: DataView
  #at: number

  constructor(bytes: Uint8Array, at: number) {
    this.#view = viewOf(bytes)
    this.#at = at
  }

  /** Returns the number in the next bytes, of which there are 0, 1, 2, 3, 4 or 8. */
  next(size: number): number {
    let value = 0
    for (let count = 0; count < size; count++) value = value * 256 + this.#view.getUint8(this.#at++)
    return value
  }

  /** Returns the two halves of the next byte. */
  halves(): [number, number] {
    const byte = this.next(1)
    return [byte >> 4, byte & 15]
  }
}
