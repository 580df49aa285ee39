import { decryptedResponse, isDecrypted, receiveMessage } from './decrypted.ts'
import { storeReceived } from './received-files.ts'

declare const self: ServiceWorkerGlobalScope
/** The Static Routing API (W3C), which not every browser has. */
interface StaticRoutes {
  addRoutes?(rules: { condition: object; source: 'network' }): Promise<void>
}
interface Device {
  connection?: { saveData: boolean }
}

/** The path of the site without a trailing slash; empty at the root of a host. */
const base = location.pathname.replace(/\/service-worker\.js$/, '')
/** Caches of other programs on the host have other names. */
const cachePrefix = base === '' ? '' : `${base}/`
const cacheName = cachePrefix + built.version

/*
 * Caches the code of the pages of this build, so that an open page finds all its modules after the
 * server was updated.
 * Also shows the offline page, receives files from a phone's share menu, and decrypts files of
 * encrypted shares. Nothing else is stored.
 * A newer worker waits until no page uses this one.
 */
self.addEventListener('install', (event) => event.waitUntil(Promise.all([bypassApi(event), cacheAssets()])))
self.addEventListener('activate', (event) => event.waitUntil(Promise.all([deleteOldCaches(), self.clients.claim()])))
self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (origin !== location.origin) return
  if (request.method === 'POST' && pathname === `${base}/upload`) event.respondWith(receive(request))
  if (request.method !== 'GET') return
  if (isDecrypted(base, pathname)) event.respondWith(decryptedResponse(self.clients, base, event))
  else if (pathname.startsWith(`${base}/assets/`)) event.respondWith(asset(request))
  else if (request.mode === 'navigate' && !pathname.startsWith(`${base}/api/`)) event.respondWith(page(request))
})
self.addEventListener('message', (event) => event.waitUntil(receiveMessage(self, event)))

/** Keeps uploads and downloads from waking this worker, where the browser supports that. */
async function bypassApi(event: ExtendableEvent & StaticRoutes): Promise<void> {
  await event.addRoutes?.({ condition: { urlPattern: { pathname: `${base}/api/*` } }, source: 'network' })
}

/**
 * Ignores files that can't be loaded, as during an update of the replicas; they are fetched when
 * they are needed.
 */
async function cacheAssets(): Promise<void> {
  if ((navigator as Device).connection?.saveData) return
  const cache = await caches.open(cacheName)
  await Promise.allSettled(built.assets.map((address) => cache.add(base + address)))
}

async function deleteOldCaches(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.filter((name) => isOwn(name) && name !== cacheName).map((name) => caches.delete(name)))
}

function isOwn(name: string): boolean {
  return name.slice(0, name.lastIndexOf('/') + 1) === cachePrefix
}

async function asset(request: Request): Promise<Response> {
  const cached = await caches.match(request, { cacheName, ignoreVary: true })
  return cached ?? fetch(request)
}

async function page(request: Request): Promise<Response> {
  try {
    return await fetch(request)
  } catch {
    return offline()
  }
}

const offlinePolicy = "default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

function offline(): Response {
  const nonce = crypto.randomUUID()
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `${offlinePolicy}; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  }
  return new Response(built.offlinePage.replaceAll('__nonce__', nonce).replace('__base__', base), { status: 503, headers })
}

/**
 * Receives files from the system's share menu and opens the upload page, which reports if there are
 * none.
 */
async function receive(request: Request): Promise<Response> {
  try {
    const files = (await request.formData()).getAll('files')
    await storeReceived(files.filter((file) => file instanceof File))
  } catch (error) {
    console.warn('shared files could not be stored', error)
  }
  return Response.redirect(`${base}/upload?received`, 303)
}
