import { latin1, viewOf } from './bytes.ts'

const orientationTag = 0x0112

/**
 * Returns the orientation (1 to 8) in Exif data (TIFF 6.0); 1, as taken, if there is none or the
 * data is malformed.
 */
export function orientationOf(tiff: Uint8Array): number {
  const isLittle = latin1(tiff, 0, 2) === 'II'
  if (tiff.length < 14 || (!isLittle && latin1(tiff, 0, 2) !== 'MM')) return 1
  const view = viewOf(tiff)
  const directory = view.getUint32(4, isLittle)
  if (directory + 2 > tiff.length) return 1
  const count = view.getUint16(directory, isLittle)
  for (let entry = directory + 2; entry < directory + 2 + count * 12 && entry + 12 <= tiff.length; entry += 12) {
    if (view.getUint16(entry, isLittle) !== orientationTag) continue
    const value = view.getUint16(entry + 8, isLittle)
    return value >= 1 && value <= 8 ? value : 1
  }
  return 1
}

/** Returns Exif data that has nothing but an orientation. */
export function orientationOnly(orientation: number): Uint8Array<ArrayBuffer> {
  const tiff = new Uint8Array(26)
  const view = viewOf(tiff)
  view.setUint32(0, 0x4d4d002a) // big-endian TIFF
  view.setUint32(4, 8) // its first directory
  view.setUint16(8, 1) // with one entry
  view.setUint16(10, orientationTag)
  view.setUint16(12, 3) // a 16-bit number
  view.setUint32(14, 1)
  view.setUint16(18, orientation)
  return tiff
}
