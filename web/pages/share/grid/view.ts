import type { FileView } from '../../../../src/pages/page-html.ts'
import { thumbnailOf } from '../../../lib/pictures.ts'
import type { Entry } from '../folders.ts'

const leastPictures = 4
const leastPart = 0.7

/** Returns how a folder is shown first: as a grid if most of it is pictures. */
export function viewOf(shareId: string, entries: readonly Entry[]): FileView {
  const files = entries.flatMap(({ file }) => file ?? [])
  const pictures = files.filter((file) => thumbnailOf(shareId, file) !== null).length
  return pictures >= leastPictures && pictures >= files.length * leastPart ? 'grid' : 'list'
}
