import { address } from './address.ts'

/** Fragments with the keys of the encrypted shares that this page has decrypted, by their IDs. */
const fragments = new Map<string, string>()
/** Addresses of small pictures that the documents of those shares have, by the IDs of the files. */
const thumbnails = new Map<string, string>()

/**
 * Makes links to an encrypted share carry its key, and the addresses of its files lead to the
 * service worker, which decrypts them. `fragment` begins with `#`. `pictures` are addresses of small
 * pictures by the IDs of files.
 */
export function addDecryptedShare(id: string, fragment: string, pictures: Iterable<[string, string]> = []): void {
  fragments.set(id, fragment)
  for (const [fileId, picture] of pictures) thumbnails.set(fileId, picture)
}

/** Returns the address of a small picture of a file that its share's document has; undefined: it has none. */
export const documentThumbnail = (fileId: string): string | undefined => thumbnails.get(fileId)

/** Returns the path of a share's page. */
export function sharePath(id: string): string {
  return `/share/${encodeURIComponent(id)}`
}

/** Returns the whole link of a share that this page shows, with its key if it is encrypted. */
export function shareLink(id: string): string {
  return location.origin + address(sharePath(id)) + fragmentOf(id)
}

/**
 * Returns the path of a share's page with the files of one folder: `''`, or a path without leading
 * and trailing slashes.
 */
export function folderPath(id: string, folder: string): string {
  return sharePath(id) + (folder === '' ? '' : `?${new URLSearchParams({ folder })}`) + fragmentOf(id)
}

/** Returns the path of the page that edits a share. */
export const editPath = (id: string): string => `${sharePath(id)}/edit${fragmentOf(id)}`

/** Returns the path of a share's page that opens at a file. */
export function previewPath(id: string, fileId: string): string {
  return `${sharePath(id)}?${new URLSearchParams({ preview: fileId })}${fragmentOf(id)}`
}

/**
 * Returns the address of a file's bytes. `inline` asks the browser to show it; the server allows that for
 * types that can't run scripts.
 */
export function fileAddress(id: string, fileId: string, inline = false): string {
  return `${filesAddress(id)}/${encodeURIComponent(fileId)}${inline ? '?download=false' : ''}`
}

/** Returns the address of a picture of a file, which the server has made. */
export function pictureAddress(id: string, fileId: string, size: 'thumbnail' | 'preview'): string {
  return address(`/api/shares/${encodeURIComponent(id)}/files/${encodeURIComponent(fileId)}/${size}`)
}

/** Returns the address of the zip with all files, or those of one folder. */
export function zipAddress(id: string, folder?: string): string {
  const query = folder === undefined ? '' : `?${new URLSearchParams({ folder })}`
  return `${filesAddress(id)}/zip${query}`
}

const fragmentOf = (id: string) => fragments.get(id) ?? ''
const filesAddress = (id: string) => address(`/${fragments.has(id) ? 'decrypted' : 'api/shares'}/${encodeURIComponent(id)}/files`)
