/**
 * Starts a download as a click on a link would, which all browsers allow after a request. Without a
 * `name`, the response names the file.
 */
export function startDownload(href: string, name = ''): void {
  const link = Object.assign(document.createElement('a'), { href, download: name })
  document.body.append(link)
  link.click()
  link.remove()
}

/** Saves bytes that were made in this browser. */
export function saveBytes(bytes: Blob, name: string): void {
  const href = URL.createObjectURL(bytes)
  startDownload(href, name)
  setTimeout(() => URL.revokeObjectURL(href), 60_000) // browsers read it after the click
}
