import type { FileSource } from '../types.ts'
import type { Box } from './boxes.ts'
import { bytesOf, latin1, viewOf } from './bytes.ts'
import type { Range } from './chunks.ts'
import { looksLikeHeif } from './heif.ts'
import { cleanMovie } from './movie.ts'

/** The movie box is in memory, and so are the zeros that take the place of erased data. */
const maxBytes = 200_000_000
/** Boxes of pictures and sound. Others, such as those that cameras add, are emptied. */
const keptBoxes = new Set('ftyp styp moov moof mfra mdat imda sidx ssix pdin free skip wide'.split(' '))
/** Types of the first box of a video; the older ones have no `ftyp`. */
const firstBoxes = new Set(['ftyp', 'moov', 'mdat', 'wide'])
/** Brands of songs, audio books, raw photos and JPEG XL, which have the same form. */
const otherBrands = /^(?:M4[ABP] |crx |JXL )$/

/** Returns whether bytes begin like an MP4 or QuickTime file. */
export function looksLikeVideo(head: Uint8Array): boolean {
  const type = latin1(head, 4, 4)
  return firstBoxes.has(type) && !(type === 'ftyp' && (otherBrands.test(latin1(head, 8, 4)) || looksLikeHeif(head)))
}

/**
 * Returns an MP4 or QuickTime video with its place, camera, texts and times overwritten, so that
 * nothing else moves. Only its movie box is read. Returns null if it is malformed, and `notCovered`
 * if it has no pictures.
 */
export async function cleanVideo(source: FileSource): Promise<Blob | 'notCovered' | null> {
  const boxes = await boxesOf(source)
  const box = boxes?.find(({ type }) => type === 'moov')
  if (!boxes || !box || box.end - box.start > maxBytes) return null
  const bytes = new Uint8Array(await source.slice(box.start, box.end).arrayBuffer())
  const movie = cleanMovie(bytes)
  if (!movie) return null
  if (!movie.hasVideo) return 'notCovered'
  const others = boxes.filter(({ type }) => !keptBoxes.has(type))
  const isFragmented = boxes.some(({ type }) => type === 'moof')
  if ((isFragmented && movie.hasDataTrack) || !isErasable([...others, ...movie.data], source.size)) return null
  return patched(source, [{ start: box.start, end: box.end, bytes }, ...others.flatMap(emptied), ...movie.data.map(zeros)])
}

/** Returns the outermost boxes; null if they are malformed. */
async function boxesOf(source: FileSource): Promise<Box[] | null> {
  const { size } = source
  const boxes: Box[] = []
  for (let at = 0; at < size; ) {
    const head = new Uint8Array(await source.slice(at, Math.min(at + 16, size)).arrayBuffer())
    if (head.length < 8) return null
    const short = viewOf(head).getUint32(0)
    if (short === 1 && head.length < 16) return null
    const length = short === 1 ? Number(viewOf(head).getBigUint64(8)) : short === 0 ? size - at : short
    const start = at + (short === 1 ? 16 : 8)
    if (at + length > size || at + length < start) return null
    boxes.push({ type: latin1(head, 4, 4), typeAt: at + 4, start, end: at + length })
    at += length
  }
  return boxes
}

function isErasable(ranges: readonly Range[], size: number): boolean {
  const length = ranges.reduce((sum, { start, end }) => sum + end - start, 0)
  return length <= maxBytes && ranges.every(({ start, end }) => start <= end && end <= size)
}

/** New bytes for a range of the file. */
interface Patch extends Range {
  bytes: Uint8Array<ArrayBuffer>
}

const zeros = ({ start, end }: Range): Patch => ({ start, end, bytes: new Uint8Array(end - start) })

function emptied({ typeAt, start, end }: Box): Patch[] {
  return [{ start: typeAt, end: typeAt + 4, bytes: bytesOf('free') }, zeros({ start, end })]
}

function patched(source: FileSource, patches: Patch[]): Blob {
  const parts: (Blob | Uint8Array<ArrayBuffer>)[] = []
  let at = 0
  for (const { start, end, bytes } of patches.sort((a, b) => a.start - b.start)) {
    if (end <= at) continue // erased already
    parts.push(source.slice(at, Math.max(at, start)), bytes.subarray(Math.max(at - start, 0)))
    at = end
  }
  return new Blob([...parts, source.slice(at, source.size)])
}
