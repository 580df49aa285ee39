import type { FileSource } from '../types.ts'
import { latin1 } from './bytes.ts'
import { cleanHeif, looksLikeHeif } from './heif.ts'
import { cleanJpeg } from './jpeg.ts'
import { cleanPng } from './png.ts'
import { cleanWebp } from './webp.ts'

/** Larger photos would not fit into the memory of a phone. */
const maxBytes = 200_000_000

/**
 * What became of a file: its data was removed, it is of a kind that is not covered (such as
 * videos), or it is a photo whose data can't be removed.
 */
export interface Cleaning {
  outcome: 'cleaned' | 'notCovered' | 'failed'
  source: FileSource
}

/**
 * Removes location, camera and all other data about a photo from a file: Exif, XMP, IPTC, texts and
 * thumbnails of JPEG, PNG, WebP, HEIC and AVIF. The picture itself, its colors and its orientation
 * stay. The kind is recognized by content. The result depends on nothing else, so an interrupted
 * upload can be continued with the original.
 */
export async function cleanPhoto(source: FileSource): Promise<Cleaning> {
  const clean = cleanerOf(await bytesIn(source, 64))
  if (!clean) return { outcome: 'notCovered', source }
  const bytes = source.size <= maxBytes ? clean(await bytesIn(source, source.size)) : null
  if (!bytes) return { outcome: 'failed', source }
  const { name, pickedName, type, lastModified } = source
  const blob = new Blob([bytes])
  const slice = (start: number, end: number) => blob.slice(start, end)
  return { outcome: 'cleaned', source: { name, ...(pickedName && { pickedName }), size: blob.size, type, lastModified, slice } }
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
