import type { FastifyRequest } from 'fastify'

/**
 * Returns whether a person opens an address of the API in a browser: by pasting it, or by a link on
 * another site (Fetch Metadata Request Headers, 2). Downloads that our pages start, embedded media,
 * resumed downloads and programs get the bytes. Browsers send these headers only over HTTPS.
 */
export function isOpenedAsPage({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  return (
    method === 'GET' &&
    headers.range === undefined &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    headers['sec-fetch-site'] !== 'same-origin' &&
    (headers.accept ?? '').includes('text/html')
  )
}

/** Returns the path of a share's page. With `file`, the page opens at this file. */
export function sharePagePath(id: string, file?: string): string {
  return `/share/${encodeURIComponent(id)}${file === undefined ? '' : `?${new URLSearchParams({ preview: file })}`}`
}
