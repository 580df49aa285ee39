import { type Box, boxesIn } from './boxes.ts'
import { bytesOf, latin1 } from './bytes.ts'
import { chunksOf, type Range } from './chunks.ts'

/** User data, Apple's keys, and extensions of manufacturers: place, camera, texts. */
const erasedBoxes = new Set(['udta', 'meta', 'uuid'])

export interface Movie {
  hasVideo: boolean
  /** Whether a track recorded data, such as places, beside the pictures. It is erased. */
  hasDataTrack: boolean
  /** Where the file has the samples of such tracks. */
  data: Range[]
}

/**
 * Erases data about a video in the content of its movie box (ISO/IEC 14496-12, 8.2; QuickTime File
 * Format), so that nothing moves: place, camera, texts, times, names of its tracks, and tracks of
 * recorded data. Returns null if the box is malformed.
 */
export function cleanMovie(bytes: Uint8Array): Movie | null {
  const boxes = boxesIn(bytes, 0, bytes.length)
  const header = boxes?.find(({ type }) => type === 'mvhd')
  if (!boxes || !header) return null
  const movie: Movie = { hasVideo: false, hasDataTrack: false, data: [] }
  eraseTimes(bytes, header)
  for (const box of boxes) {
    if (erasedBoxes.has(box.type)) eraseBox(bytes, box)
    if (box.type === 'trak' && !cleanTrack(bytes, box, movie)) return null
  }
  return movie
}

/** Returns whether the track is well-formed. */
function cleanTrack(bytes: Uint8Array, track: Box, movie: Movie): boolean {
  const boxes = boxesIn(bytes, track.start, track.end)
  const media = boxes && childrenOf(bytes, boxes, 'mdia')
  const handler = media?.find(({ type }) => type === 'hdlr')
  if (!media || !handler || handler.end < handler.start + 24) return false
  const kind = latin1(bytes, handler.start + 8, 4)
  if (kind === 'vide') movie.hasVideo = true
  if (kind === 'meta' || kind === 'camm') return eraseDataTrack(bytes, track, media, movie)
  bytes.fill(0, handler.start + 24, handler.end) // its name, which may be the camera's
  for (const box of [...boxes, ...media]) {
    if (erasedBoxes.has(box.type)) eraseBox(bytes, box)
    if (box.type === 'tkhd' || box.type === 'mdhd') eraseTimes(bytes, box)
  }
  return true
}

function eraseDataTrack(bytes: Uint8Array, track: Box, media: readonly Box[], movie: Movie): boolean {
  const information = childrenOf(bytes, media, 'minf')
  const table = information && childrenOf(bytes, information, 'stbl')
  const chunks = table && chunksOf(bytes, table)
  if (!chunks) return false
  movie.hasDataTrack = true
  movie.data = movie.data.concat(chunks)
  eraseBox(bytes, track)
  return true
}

function childrenOf(bytes: Uint8Array, boxes: readonly Box[], type: string): Box[] | null {
  const parent = boxes.find((box) => box.type === type)
  return parent ? boxesIn(bytes, parent.start, parent.end) : null
}

function eraseBox(bytes: Uint8Array, { typeAt, start, end }: Box): void {
  bytes.set(bytesOf('free'), typeAt)
  bytes.fill(0, start, end)
}

/** Erases when a movie or track was created and changed, which follow version and flags. */
function eraseTimes(bytes: Uint8Array, { start, end }: Box): void {
  bytes.fill(0, start + 4, Math.min(start + 4 + (bytes[start] === 1 ? 16 : 8), end))
}
