import { keepReceived } from './received-files.ts'

declare const self: ServiceWorkerGlobalScope
/** The Static Routing API (W3C), which not every browser has. */
interface StaticRoutes {
  addRoutes?(rules: { condition: object; source: 'network' }): Promise<void>
}
interface Device {
  connection?: { saveData: boolean }
}

/*
 * It keeps the code of the pages as this build has it, so that a page that is open still finds all of its parts when the server has a newer one; it shows
 * a page of its own offline; and it takes what a phone shares. Nothing else is kept. A newer worker waits until no page needs this one.
 */
self.addEventListener('install', (event) => event.waitUntil(Promise.all([leaveApiAlone(event), keepAssets()])))
self.addEventListener('activate', (event) => event.waitUntil(Promise.all([forgetFormer(), self.clients.claim()])))
self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (origin !== location.origin) return
  if (request.method === 'POST' && pathname === '/upload') event.respondWith(receive(request))
  if (request.method !== 'GET') return
  if (pathname.startsWith('/assets/')) event.respondWith(asset(request))
  else if (request.mode === 'navigate' && !pathname.startsWith('/api/')) event.respondWith(page(request))
})

/** Uploads and downloads do not even wake this worker, where the browser can do that. */
async function leaveApiAlone(event: ExtendableEvent & StaticRoutes): Promise<void> {
  await event.addRoutes?.({ condition: { urlPattern: { pathname: '/api/*' } }, source: 'network' })
}

/** What cannot be had (during an update, another replica may answer) is fetched when it is needed. */
async function keepAssets(): Promise<void> {
  if ((navigator as Device).connection?.saveData) return
  const cache = await caches.open(built.version)
  await Promise.allSettled(built.assets.map((address) => cache.add(address)))
}

async function forgetFormer(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.filter((name) => name !== built.version).map((name) => caches.delete(name)))
}

async function asset(request: Request): Promise<Response> {
  const kept = await caches.match(request, { cacheName: built.version, ignoreVary: true })
  return kept ?? fetch(request)
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
  return new Response(built.offlinePage.replaceAll('__nonce__', nonce), { status: 503, headers })
}

/** Takes files from the system's share menu; the page says so when there are none. */
async function receive(request: Request): Promise<Response> {
  try {
    const files = (await request.formData()).getAll('files')
    await keepReceived(files.filter((file) => file instanceof File))
  } catch (error) {
    console.warn('What was shared cannot be kept', error)
  }
  return Response.redirect('/upload?received', 303)
}
