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
export type Cleaning = { outcome: 'cleaned'; file: File } | { outcome: 'notCovered' | 'failed'; file: File }

/**
 * Removes location, camera and all other data about a photo from a file: Exif, XMP, IPTC, texts and
 * thumbnails of JPEG, PNG, WebP, HEIC and AVIF. The picture itself, its colors and its orientation
 * stay. The kind is recognized by content. Cleaning a cleaned file changes nothing, so an upload
 * can be continued with the original.
 */
export async function cleanPhoto(file: File): Promise<Cleaning> {
  const clean = cleanerOf(new Uint8Array(await file.slice(0, 64).arrayBuffer()))
  if (!clean) return { outcome: 'notCovered', file }
  const bytes = file.size <= maxBytes ? clean(new Uint8Array(await file.arrayBuffer())) : null
  if (!bytes) return { outcome: 'failed', file }
  const { name, type, lastModified } = file
  return { outcome: 'cleaned', file: new File([bytes], name, { type, lastModified }) }
}

function cleanerOf(head: Uint8Array): ((bytes: Uint8Array) => Uint8Array<ArrayBuffer> | null) | null {
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return cleanJpeg
  if (latin1(head, 1, 3) === 'PNG') return cleanPng
  if (latin1(head, 0, 4) === 'RIFF' && latin1(head, 8, 4) === 'WEBP') return cleanWebp
  return looksLikeHeif(head) ? cleanHeif : null
}
