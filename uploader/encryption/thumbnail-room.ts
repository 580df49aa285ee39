import { documentBytesPerFile, documentMaxBytes, documentSpareBytes } from '../../src/shares/document/limits.ts'
import type { ShareContent } from './share-content.ts'

/** Characters that all thumbnails of a document have together, because visitors load it first. */
export const thumbnailsMax = 2_000_000
/** By how much padding and encryption lengthen a document at most. */
const growth = 1.13
/** Characters of the field around a thumbnail. */
const fieldLength = 16

/**
 * Returns a document's content with those thumbnails, by the names of the files on the server, that
 * fit into what the server accepts for its number of files.
 */
export function withThumbnails(content: ShareContent, thumbnails: ReadonlyMap<string, string>): ShareContent {
  let room = roomIn(content)
  const files = content.files.map((file) => {
    const thumbnail = thumbnails.get(file.file)
    if (thumbnail === undefined || file.thumbnail !== undefined || thumbnail.length + fieldLength > room) return file
    room -= thumbnail.length + fieldLength
    return { ...file, thumbnail }
  })
  return { ...content, files }
}

function roomIn(content: ShareContent): number {
  const { files } = content
  const max = Math.min(documentMaxBytes, documentSpareBytes + files.length * documentBytesPerFile)
  const used = new TextEncoder().encode(JSON.stringify(content)).length
  const present = files.reduce((sum, { thumbnail = '' }) => sum + thumbnail.length, 0)
  return Math.min(Math.floor(max / growth) - used, thumbnailsMax - present)
}
