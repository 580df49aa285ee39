import type { SharedFile } from '../../src/shares/contract.ts'
import { isShownByBrowsers } from './file-kinds.ts'
import { documentThumbnail, fileAddress, pictureAddress } from './share-addresses.ts'

/** Originals up to this size serve as their own thumbnails. */
const smallBytes = 500_000
/** Originals up to this size are shown whole in the viewer. */
const shownBytes = 60_000_000

/**
 * Returns the address of a small picture of a file: its thumbnail, or a small image itself; null if
 * there is none.
 */
export function thumbnailOf(shareId: string, file: SharedFile): string | null {
  if (file.preview) return pictureAddress(shareId, file.id, 'thumbnail')
  const decrypted = documentThumbnail(file.id)
  if (decrypted) return decrypted
  return isShownByBrowsers(file.name) && Number(file.size) <= smallBytes ? fileAddress(shareId, file.id, true) : null
}

/** Returns the addresses of a file's picture for the whole screen, and in its full resolution. */
export function picturesOf(shareId: string, file: SharedFile): { fitting: string; full: string | null } {
  const original = fileAddress(shareId, file.id, true)
  if (!file.preview) return { fitting: original, full: null }
  const isShown = isShownByBrowsers(file.name) && Number(file.size) <= shownBytes
  return { fitting: pictureAddress(shareId, file.id, 'preview'), full: isShown ? original : null }
}
