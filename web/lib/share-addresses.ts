/** The page of a share. */
export function sharePath(id: string): string {
  return `/share/${encodeURIComponent(id)}`
}

/** The page of a share with the files of one folder: `''`, or a path without slashes at its ends. */
export function folderAddress(id: string, folder: string): string {
  return folder === '' ? sharePath(id) : `${sharePath(id)}?${new URLSearchParams({ folder })}`
}

/** Where a file's bytes are; `inline` asks for them to be shown, which the server grants to types that cannot run script. */
export function fileAddress(id: string, fileId: string, inline = false): string {
  return `/api/shares/${encodeURIComponent(id)}/files/${encodeURIComponent(fileId)}${inline ? '?download=false' : ''}`
}

/** Where the archive of all files is. */
export function zipAddress(id: string): string {
  return `/api/shares/${encodeURIComponent(id)}/files/zip`
}
