import { type Box, boxesIn } from './boxes.ts'
import { bytesOf, latin1, viewOf } from './bytes.ts'
import { type Extent, extentsOf, metadataItems } from './heif-items.ts'

const brands = /^(?:heic|heix|heim|heis|hevc|hevx|mif1|msf1|avif|avis|miaf)$/
/** Boxes of the picture itself. Others, such as the video of a motion photo, are emptied. */
const keptBoxes = new Set(['ftyp', 'meta', 'mdat', 'moov', 'idat', 'free', 'skip'])
/** Exif data with an empty directory, after the offset at which it begins. */
const emptyExif = bytesOf('\0\0\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0')

/**
 * Returns a HEIC or AVIF (ISO/IEC 23008-12) whose Exif and XMP are overwritten, so that nothing
 * else moves. Its orientation is a property of the picture and stays. Returns null if it is
 * malformed.
 */
export function cleanHeif(bytes: Uint8Array): Uint8Array<ArrayBuffer> | null {
  const boxes = boxesIn(bytes, 0, bytes.length)
  const [first] = boxes ?? []
  const meta = boxes?.find(({ type }) => type === 'meta')
  if (!boxes || first?.type !== 'ftyp' || !meta || !isHeif(bytes, first)) return null
  const children = boxesIn(bytes, meta.start + 4, meta.end)
  const items = children && metadataItems(bytes, children)
  const extents = items && extentsOf(bytes, children, items)
  if (!extents) return null
  const clean = new Uint8Array(bytes)
  for (const extent of extents) erase(clean, extent)
  for (const box of boxes.filter(({ type }) => !keptBoxes.has(type))) {
    clean.set(bytesOf('free'), box.typeAt)
    clean.fill(0, box.start, box.end)
  }
  return clean
}

function isHeif(bytes: Uint8Array, { start, end }: Box): boolean {
  for (let at = start; at + 4 <= end; at += at === start ? 8 : 4) if (brands.test(latin1(bytes, at, 4))) return true
  return false
}

function erase(bytes: Uint8Array, { start, end, isExif }: Extent): void {
  bytes.fill(isExif ? 0 : 0x20, start, end)
  if (isExif && end - start >= emptyExif.length) bytes.set(emptyExif, start)
}

/** Returns whether bytes begin like a file of this family. */
export function looksLikeHeif(bytes: Uint8Array): boolean {
  return (
    bytes.length > 16 &&
    latin1(bytes, 4, 4) === 'ftyp' &&
    isHeif(bytes, { type: 'ftyp', typeAt: 4, start: 8, end: Math.min(viewOf(bytes).getUint32(0), bytes.length) })
  )
}
