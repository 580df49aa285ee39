import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { chooseLanguage } from './language.ts'
import { webManifest } from './manifest.ts'
import { pageHeaders } from './page-headers.ts'
import { type ColorScheme, type Icons, type PagePreferences, pageHtml } from './page-html.ts'
import { type Asset, type BuiltPage, type PrerenderedPage, readSite, type Site } from './site.ts'

interface Start {
  /** For the title. */
  appName: string
  /** Where this installation is reached; without a slash at the end. */
  baseUrl: string
  icons: Icons | null
  /** For who asks for none that we have. */
  language: string
  data: object
}

interface Options {
  /** Where `web/build/build.ts` has put the pages. */
  folder: string
  /** What the application puts into a page. */
  startData(request: FastifyRequest): Promise<Start>
  /** Another origin that pages may send to, if there is one now. */
  connectTo?(): string | undefined
}

const year = 31_536_000 // seconds
const unhashed = 3_600 // seconds; files whose name holds no hash of their bytes
const serviceWorker = '/service-worker.js'

/** Serves the built application: its files, its pages with what they need to start, and 404 for any other path that no route has. */
export async function spa(app: FastifyInstance, { folder, startData, connectTo }: Options): Promise<void> {
  const site = readSite(folder)
  if (!site) {
    app.log.warn('The pages are not built. Run: node web/build/build.ts')
    return
  }
  for (const [path, asset] of site.assets) app.get(path, (request, reply) => sendAsset(request, reply, path, asset))
  for (const page of site.pages) app.get(page.path, (request, reply) => sendPage(request, reply, page))
  for (const [from, to] of Object.entries(site.aliases)) {
    app.get(from, (request, reply) => reply.redirect(pathWith(to, request.params as Record<string, string>), 302))
  }
  app.get('/manifest.webmanifest', sendManifest)
  // What a phone shares is taken by the service worker. Where that is missing, the page says that there is nothing.
  app.post('/upload', { onRequest: async (_request, reply) => reply.redirect('/upload?received', 303) }, (_request, reply) =>
    reply.callNotFound(),
  )
  app.get('/*', (request, reply) => {
    if (/^\/api(\/|$|\?)/.test(request.url) || !request.headers.accept?.includes('text/html')) return reply.callNotFound()
    return sendPage(request, reply.code(404), null)
  })

  async function sendPage(request: FastifyRequest, reply: FastifyReply, page: BuiltPage | null) {
    const nonce = randomBytes(16).toString('base64')
    const { language: fallback, data, ...own } = await startOf(request, reply)
    const { language, colorScheme } = preferencesOf(site!, fallback, request)
    const preferences: PagePreferences = {
      page: page?.path ?? null,
      language: language.code,
      languages: site!.languages.map(({ code, name }) => ({ code, name })),
      direction: language.direction,
      colorScheme,
    }
    const start = { ...data, ...preferences }
    const prerendered = page?.path === '/share/:id' ? await prerender(request, start) : null
    return reply
      .headers(pageHeaders(nonce, connectTo?.()))
      .type('text/html; charset=utf-8')
      .send(pageHtml(site!, { ...own, nonce, language, colorScheme, page, prerendered, start }))
  }

  /** A page that cannot be rendered here is left to the application. */
  async function prerender(request: FastifyRequest, start: object): Promise<PrerenderedPage | null> {
    try {
      return await site!.renderSharePage(start)
    } catch (error) {
      request.log.error({ err: error }, 'share page not rendered on the server')
      return null
    }
  }

  async function sendManifest(request: FastifyRequest, reply: FastifyReply) {
    const { appName, icons, language: fallback } = await startData(request)
    const manifest = webManifest({ appName, icons, language: preferencesOf(site!, fallback, request).language })
    reply.headers({ 'cache-control': 'no-cache', vary: 'accept-language, cookie', 'x-content-type-options': 'nosniff' })
    return reply.type('application/manifest+json').send(JSON.stringify(manifest))
  }

  /** A page is shown even when its data cannot be read: it says so itself. */
  async function startOf(request: FastifyRequest, reply: FastifyReply): Promise<Start> {
    try {
      return await startData(request)
    } catch (error) {
      request.log.error({ err: error }, 'no start data for a page')
      reply.code(503).header('retry-after', 5)
      return { appName: '', baseUrl: '', icons: null, language: 'en-US', data: { user: null, settings: null } }
    }
  }
}

function preferencesOf(site: Site, fallback: string, request: FastifyRequest) {
  const codes = site.languages.map(({ code }) => code)
  const code = chooseLanguage(codes, fallback, request.cookies.language, request.headers['accept-language'])
  const language = site.languages.find((one) => one.code === code)!
  const scheme = request.cookies.color_scheme
  const colorScheme: ColorScheme = scheme === 'light' || scheme === 'dark' ? scheme : 'system'
  return { language, colorScheme }
}

function sendAsset(request: FastifyRequest, reply: FastifyReply, path: string, asset: Asset) {
  if (path === serviceWorker) reply.header('content-security-policy', "default-src 'none'; connect-src 'self'")
  reply.headers({ 'cache-control': lastingOf(path), etag: asset.etag, vary: 'accept-encoding', 'x-content-type-options': 'nosniff' })
  if (request.headers['if-none-match'] === asset.etag) return reply.code(304).send()
  const accepted = request.headers['accept-encoding'] ?? ''
  const [encoding, bytes] =
    asset.br && /\bbr\b/.test(accepted)
      ? ['br', asset.br]
      : asset.gzip && /\bgzip\b/.test(accepted)
        ? ['gzip', asset.gzip]
        : [null, asset.bytes]
  if (encoding) reply.header('content-encoding', encoding)
  return reply.type(asset.type).send(bytes)
}

function lastingOf(path: string): string {
  if (path === serviceWorker) return 'no-cache'
  return path.startsWith('/assets/') ? `public, max-age=${year}, immutable` : `public, max-age=${unhashed}`
}

function pathWith(path: string, params: Record<string, string>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}
