import { address } from './address.ts'

/** Returns the path of a share's page. */
export function sharePath(id: string): string {
  return `/share/${encodeURIComponent(id)}`
}

/**
 * Returns the path of a share's page with the files of one folder: `''`, or a path without leading
 * and trailing slashes.
 */
export function folderPath(id: string, folder: string): string {
  return folder === '' ? sharePath(id) : `${sharePath(id)}?${new URLSearchParams({ folder })}`
}

/** Returns the path of a share's page that opens at a file. */
export function previewPath(id: string, fileId: string): string {
  return `${sharePath(id)}?${new URLSearchParams({ preview: fileId })}`
}

/**
 * Returns the address of a file's bytes. `inline` asks the browser to show it; the server allows that for
 * types that can't run scripts.
 */
export function fileAddress(id: string, fileId: string, inline = false): string {
  return address(`/api/shares/${encodeURIComponent(id)}/files/${encodeURIComponent(fileId)}${inline ? '?download=false' : ''}`)
}

/** Returns the address of a picture of a file, which the server has made. */
export function pictureAddress(id: string, fileId: string, size: 'thumbnail' | 'preview'): string {
  return address(`/api/shares/${encodeURIComponent(id)}/files/${encodeURIComponent(fileId)}/${size}`)
}

/** Returns the address of the zip with all files, or those of one folder. */
export function zipAddress(id: string, folder?: string): string {
  const query = folder === undefined ? '' : `?${new URLSearchParams({ folder })}`
  return address(`/api/shares/${encodeURIComponent(id)}/files/zip${query}`)
}
