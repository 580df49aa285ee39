import { concat } from '../concat.ts'
import { crc32 } from '../crc32.ts'
import { bytesOf, latin1, viewOf } from './bytes.ts'
import { orientationOf, orientationOnly } from './orientation.ts'

const signature = '\x89PNG\r\n\x1a\n'
/** What makes up the picture and its colors. Everything else may say where it was taken. */
const keptChunks = new Set('IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD hIST sPLT pHYs acTL fcTL fdAT'.split(' '))

/**
 * Returns a PNG (W3C, third edition) without Exif, text, time and unknown chunks, and without what
 * follows its end. Keeps the orientation. Returns null if it is malformed.
 */
export function cleanPng(bytes: Uint8Array): Uint8Array<ArrayBuffer> | null {
  if (latin1(bytes, 0, 8) !== signature) return null
  const kept: Uint8Array[] = [bytes.subarray(0, 8)]
  const view = viewOf(bytes)
  let orientation = 1
  for (let at = 8; ; ) {
    if (at + 12 > bytes.length) return null
    const end = at + 12 + view.getUint32(at)
    if (end > bytes.length) return null
    const type = latin1(bytes, at + 4, 4)
    if (type === 'eXIf') orientation = orientationOf(bytes.subarray(at + 8, end - 4))
    if (keptChunks.has(type)) kept.push(bytes.subarray(at, end))
    if (type === 'IEND') break
    at = end
  }
  const exif = orientation === 1 ? [] : [chunkOf('eXIf', orientationOnly(orientation))]
  return concat([...kept.slice(0, 2), ...exif, ...kept.slice(2)]) // after IHDR, which is always the first
}

function chunkOf(type: string, content: Uint8Array): Uint8Array {
  const body = concat([bytesOf(type), content])
  const numbers = new Uint8Array(8)
  viewOf(numbers).setUint32(0, content.length)
  viewOf(numbers).setUint32(4, crc32(body))
  return concat([numbers.subarray(0, 4), body, numbers.subarray(4)])
}
