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

interface Position {
  /** The ID of a file. */
  preview?: string
  folder?: string | undefined
}

/** Returns the path of a share's page, which opens at a file or a folder if one is named. */
export function sharePagePath(id: string, { preview, folder }: Position = {}): string {
  const query = new URLSearchParams({ ...(preview && { preview }), ...(folder && { folder }) }).toString()
  return `/share/${encodeURIComponent(id)}${query && `?${query}`}`
}
