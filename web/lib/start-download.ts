/** Starts a download as a click on a link would, which all browsers allow after a request. */
export function startDownload(href: string): void {
  const link = Object.assign(document.createElement('a'), { href, download: '' })
  document.body.append(link)
  link.click()
  link.remove()
}
