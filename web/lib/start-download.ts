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
