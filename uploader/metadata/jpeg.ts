import { concat } from '../concat.ts'
import { bytesOf, latin1, viewOf } from './bytes.ts'
import { orientationOf, orientationOnly } from './orientation.ts'

const exifHeader = 'Exif\0\0'
const [startOfImage, endOfImage, startOfScan] = [0xd8, 0xd9, 0xda]

/**
 * Returns a JPEG (ITU-T T.81) without Exif, XMP, IPTC, comments, thumbnails and what follows its
 * end, such as the video of a motion photo. Keeps the color profile and the orientation. Returns
 * null if it is malformed.
 */
export function cleanJpeg(bytes: Uint8Array): Uint8Array<ArrayBuffer> | null {
  if (bytes[0] !== 0xff || bytes[1] !== startOfImage) return null
  const kept: Uint8Array[] = []
  let orientation = 1
  let at = 2
  for (;;) {
    const segment = segmentAt(bytes, at)
    if (!segment) return null
    const content = bytes.subarray(segment.start + 4, segment.end)
    if (segment.marker === 0xe1 && latin1(content, 0, 6) === exifHeader) orientation = orientationOf(content.subarray(6))
    if (isKept(segment.marker, content)) kept.push(bytes.subarray(segment.start, segment.end))
    at = segment.end
    if (segment.marker === endOfImage) break
  }
  const isJfif = kept[0]?.[1] === 0xe0
  const exif = orientation === 1 ? [] : [exifSegment(orientation)]
  return concat([bytes.subarray(0, 2), ...kept.slice(0, isJfif ? 1 : 0), ...exif, ...kept.slice(isJfif ? 1 : 0)])
}

interface Segment {
  marker: number
  start: number
  end: number
}

/** Returns the segment at a position, with the compressed data after it; null if there is none. */
function segmentAt(bytes: Uint8Array, position: number): Segment | null {
  let start = position
  if (bytes[start] !== 0xff) return null
  while (bytes[start + 1] === 0xff) start++ // fill bytes
  const marker = bytes[start + 1] ?? 0
  if (marker === endOfImage || isAlone(marker)) return { marker, start, end: start + 2 }
  if (start + 4 > bytes.length) return null
  const end = start + 2 + viewOf(bytes).getUint16(start + 2)
  if (end > bytes.length || end < start + 4) return null
  return { marker, start, end: marker === startOfScan ? endOfScan(bytes, end) : end }
}

/** Whether a marker has no length: a restart, or a temporary one. */
function isAlone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)
}

/** Returns where compressed data ends: at a marker that is neither an escaped 0xFF nor a restart. */
function endOfScan(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1]
    if (next !== undefined && next !== 0 && next !== 0xff && !isAlone(next)) return at
  }
  return bytes.length
}

function isKept(marker: number, content: Uint8Array): boolean {
  const isApplication = marker >= 0xe0 && marker <= 0xef
  if (marker === 0xfe) return false // a comment
  if (!isApplication) return true
  if (marker === 0xe0) return latin1(content, 0, 5) === 'JFIF\0'
  if (marker === 0xe2) return latin1(content, 0, 12) === 'ICC_PROFILE\0'
  return marker === 0xee && latin1(content, 0, 5) === 'Adobe' // defines how the colors are encoded
}

function exifSegment(orientation: number): Uint8Array {
  const content = concat([bytesOf(exifHeader), orientationOnly(orientation)])
  const length = content.length + 2
  return concat([Uint8Array.of(0xff, 0xe1, length >> 8, length & 0xff), content])
}
