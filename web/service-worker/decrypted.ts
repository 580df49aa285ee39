import { respondTo } from '../decryption/respond.ts'
import type { DecryptedShare, FromServiceWorker, ToServiceWorker } from '../decryption/share.ts'

/** How long a page may take to send its share, in milliseconds. */
const patience = 3_000

/**
 * The encrypted shares that pages have opened, by ID. They are in memory only. When the browser has
 * restarted this worker, it asks the pages again.
 */
const shares = new Map<string, DecryptedShare>()

/** Returns whether a path is that of a file that is decrypted here. */
export function isDecrypted(base: string, path: string): boolean {
  return path.startsWith(`${base}/decrypted/`)
}

/** Stores a share that a page sends. Other messages only keep this worker from being stopped. */
export async function receiveMessage({ clients }: ServiceWorkerGlobalScope, { data, ports }: ExtendableMessageEvent): Promise<void> {
  const message = data as ToServiceWorker
  if (message.kind !== 'share') return
  shares.set(message.share.id, message.share)
  await clients.claim() // a page that was reloaded past this worker isn't controlled
  ports[0]?.postMessage(true)
}

/**
 * Responds with the decrypted bytes of a file or a zip. Without a page that has the key, the share
 * is opened again.
 */
export async function decryptedResponse(clients: Clients, base: string, { request }: FetchEvent): Promise<Response> {
  const url = new URL(request.url)
  const [id = ''] = url.pathname.slice(`${base}/decrypted/`.length).split('/')
  const share = await shareOf(clients, decodeURIComponent(id), url.searchParams.get('selection'))
  const response = share && respondTo(share, url, request.headers.get('range'))
  if (response) return response
  return request.mode === 'navigate' ? Response.redirect(`${base}/share/${id}`, 303) : new Response(null, { status: 404 })
}

async function shareOf(clients: Clients, id: string, selection: string | null): Promise<DecryptedShare | null> {
  const known = shares.get(id)
  if (known && (selection === null || Number(selection) < known.selections.length)) return known
  const pages = await clients.matchAll({ type: 'window' })
  const share = await Promise.any(pages.map((page) => askFor(page, id))).catch(() => null)
  if (share) shares.set(id, share)
  return share
}

function askFor(page: Client, id: string): Promise<DecryptedShare> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve, reject) => {
    port1.onmessage = ({ data }) => (data ? resolve(data as DecryptedShare) : reject())
    setTimeout(reject, patience)
    const message: FromServiceWorker = { kind: 'share wanted', id }
    page.postMessage(message, [port2])
  })
}
