import { concat } from '../concat.ts'
import { bytesOf, latin1, viewOf } from './bytes.ts'
import { orientationOf, orientationOnly } from './orientation.ts'

const keptChunks = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP'])
const [exifFlag, xmpFlag] = [0x08, 0x04]

/**
 * Returns a WebP (RFC 9649) without Exif, XMP and unknown chunks, and without what follows its end.
 * Keeps the orientation. Returns null if it is malformed.
 */
export function cleanWebp(bytes: Uint8Array): Uint8Array<ArrayBuffer> | null {
  if (bytes.length < 12 || latin1(bytes, 0, 4) !== 'RIFF' || latin1(bytes, 8, 4) !== 'WEBP') return null
  const view = viewOf(bytes)
  const fileEnd = 8 + view.getUint32(4, true)
  if (fileEnd > bytes.length + 1) return null // the last padding byte may be missing
  const kept: Uint8Array[] = []
  let orientation = 1
  for (let at = 12; at + 8 <= fileEnd; ) {
    const size = view.getUint32(at + 4, true)
    const end = at + 8 + size
    if (end > bytes.length) return null
    const type = latin1(bytes, at, 4)
    if (type === 'EXIF') orientation = orientationOf(withoutHeader(bytes.subarray(at + 8, end)))
    if (keptChunks.has(type)) kept.push(bytes.slice(at, end), new Uint8Array(size % 2))
    at = end + (size % 2)
  }
  const extended = kept.find((chunk) => latin1(chunk, 0, 4) === 'VP8X')
  if (extended) extended[8] = ((extended[8] ?? 0) & ~(exifFlag | xmpFlag)) | (orientation === 1 ? 0 : exifFlag)
  const exif = extended && orientation !== 1 ? [chunkOf('EXIF', orientationOnly(orientation))] : []
  const body = concat([bytesOf('WEBP'), ...kept, ...exif])
  return concat([headOf('RIFF', body.length), body])
}

/** Some programs put the header of JPEG's Exif before the data. */
function withoutHeader(exif: Uint8Array): Uint8Array {
  return latin1(exif, 0, 6) === 'Exif\0\0' ? exif.subarray(6) : exif
}

function chunkOf(type: string, content: Uint8Array): Uint8Array {
  return concat([headOf(type, content.length), content, new Uint8Array(content.length % 2)])
}

function headOf(type: string, size: number): Uint8Array {
  const head = concat([bytesOf(type), new Uint8Array(4)])
  viewOf(head).setUint32(4, size, true)
  return head
}
