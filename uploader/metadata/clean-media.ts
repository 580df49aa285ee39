import type { FileSource } from '../types.ts'
import { latin1 } from './bytes.ts'
import { cleanHeif, looksLikeHeif } from './heif.ts'
import { cleanJpeg } from './jpeg.ts'
import { cleanPng } from './png.ts'
import { cleanVideo, looksLikeVideo } from './video.ts'
import { cleanWebp } from './webp.ts'

/** Larger photos would not fit into the memory of a phone. */
const maxBytes = 200_000_000

/**
 * What became of a file: its data was removed, it is of a kind that is not covered, or it is a photo
 * or video whose data can't be removed.
 */
export interface Cleaning {
  outcome: 'cleaned' | 'notCovered' | 'failed'
  source: FileSource
}

/**
 * Removes location, camera and all other data about a photo or video from a file: Exif, XMP, IPTC,
 * texts and thumbnails of JPEG, PNG, WebP, HEIC and AVIF, and the same of MP4 and QuickTime videos.
 * Pictures, sound, subtitles, colors and orientation stay. The kind is recognized by content. The
 * result depends on nothing else, so an interrupted upload can be continued with the original.
 */
export async function cleanMedia(source: FileSource): Promise<Cleaning> {
  const head = await bytesIn(source, 64)
  const cleaned = looksLikeVideo(head) ? await cleanVideo(source) : await cleanPhoto(source, head)
  if (cleaned === 'notCovered') return { outcome: cleaned, source }
  if (!cleaned) return { outcome: 'failed', source }
  const { name, pickedName, type, lastModified } = source
  const slice = (start: number, end: number) => cleaned.slice(start, end)
  return { outcome: 'cleaned', source: { name, ...(pickedName && { pickedName }), size: cleaned.size, type, lastModified, slice } }
}

async function cleanPhoto(source: FileSource, head: Uint8Array): Promise<Blob | 'notCovered' | null> {
  const clean = cleanerOf(head)
  if (!clean) return 'notCovered'
  const bytes = source.size <= maxBytes ? clean(await bytesIn(source, source.size)) : null
  return bytes && new Blob([bytes])
}

async function bytesIn(source: FileSource, length: number): Promise<Uint8Array> {
  return new Uint8Array(await source.slice(0, Math.min(length, source.size)).arrayBuffer())
}

function cleanerOf(head: Uint8Array): ((bytes: Uint8Array) => Uint8Array<ArrayBuffer> | null) | null {
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return cleanJpeg
  if (latin1(head, 1, 3) === 'PNG') return cleanPng
  if (latin1(head, 0, 4) === 'RIFF' && latin1(head, 8, 4) === 'WEBP') return cleanWebp
  return looksLikeHeif(head) ? cleanHeif : null
}
