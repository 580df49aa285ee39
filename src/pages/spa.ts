import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { serveAssets } from './assets.ts'
import { chooseLanguage } from './language.ts'
import { webManifest } from './manifest.ts'
import { pageHeaders } from './page-headers.ts'
import { type ColorScheme, type FileView, type Icons, type PagePreferences, pageHtml } from './page-html.ts'
import type { Palettes } from './palette.ts'
import { type BuiltPage, type PrerenderedPage, readSite, type Site } from './site.ts'

interface Languages {
  /** The language for a visitor whose own languages are not available. */
  language: string
  /** The language that the signed-in user has chosen, on any device. */
  ownLanguage: string | null
}

interface PageData extends Languages {
  /** The title. */
  appName: string
  /** The URL of this installation without a trailing slash. */
  baseUrl: string
  icons: Icons | null
  palettes: Palettes | null
  showBird: boolean
  data: object
}

interface Options {
  /** The folder that `web/build/build.ts` writes to. */
  folder: string
  /** Reads the data of a page. */
  startData(request: FastifyRequest): Promise<PageData>
  /** Returns the present address of a link of another product from which data was imported. */
  addressOfOldLink(request: FastifyRequest): Promise<string | null>
  /** Returns an additional origin that pages may send requests to. */
  connectTo?(): string | undefined
}

/** Serves the files and pages of the built application, and a 404 page for unknown paths. */
export async function spa(app: FastifyInstance, options: Options): Promise<void> {
  const site = readSite(options.folder, app.basePath)
  if (!site) {
    app.log.warn('The pages are not built. Run: node web/build/build.ts')
    return
  }
  await serveAssets(app, options.folder)
  servePages(app, site, options)
}

function servePages(app: FastifyInstance, site: Site, { startData, addressOfOldLink, connectTo }: Options): void {
  for (const page of site.pages) app.get(page.path, (request, reply) => sendPage(request, reply, page))
  for (const [from, to] of Object.entries(site.aliases)) {
    app.get(from, (request, reply) => reply.redirect(pathWith(to, request.params as Record<string, string>), 302))
  }
  app.get('/manifest.webmanifest', sendManifest)
  // The service worker receives files from a phone's share menu. Without it, the page shows a hint.
  app.post('/upload', { onRequest: async (_request, reply) => reply.redirect('/upload?received', 303) }, (_request, reply) =>
    reply.callNotFound(),
  )
  app.get('/*', async (request, reply) => {
    const address = await addressOfOldLink(request)
    if (address) return reply.header('cache-control', 'no-store').redirect(address, 302)
    if (/^\/api(\/|$|\?)/.test(request.url) || !request.headers.accept?.includes('text/html')) return reply.callNotFound()
    return sendPage(request, reply.code(404), null)
  })

  async function sendPage(request: FastifyRequest, reply: FastifyReply, page: BuiltPage | null) {
    const nonce = randomBytes(16).toString('base64')
    const { language: fallback, ownLanguage, data, ...parts } = await pageData(request, reply)
    const { language, colorScheme, fileView } = preferencesOf(site, { language: fallback, ownLanguage }, request)
    const preferences: PagePreferences = {
      page: page?.path ?? null,
      basePath: site.basePath,
      language: language.code,
      languages: site.languages.map(({ code, name }) => ({ code, name })),
      direction: language.direction,
      colorScheme,
      fileView,
    }
    const start = { ...data, ...preferences }
    const prerendered = page?.path === '/share/:id' ? await prerender(request, start) : null
    return reply
      .headers(pageHeaders(nonce, connectTo?.()))
      .type('text/html; charset=utf-8')
      .send(pageHtml(site, { ...parts, nonce, language, colorScheme, page, prerendered, start }))
  }

  /** Returns null after an error, so that the browser renders the page. */
  async function prerender(request: FastifyRequest, start: object): Promise<PrerenderedPage | null> {
    try {
      return await site.renderSharePage(start)
    } catch (error) {
      request.log.error({ err: error }, 'share page could not be rendered on the server')
      return null
    }
  }

  async function sendManifest(request: FastifyRequest, reply: FastifyReply) {
    const { appName, icons, ...languages } = await startData(request)
    const manifest = webManifest({ basePath: site.basePath, appName, icons, language: preferencesOf(site, languages, request).language })
    reply.headers({ 'cache-control': 'no-cache', vary: 'accept-language, cookie', 'x-content-type-options': 'nosniff' })
    return reply.type('application/manifest+json').send(JSON.stringify(manifest))
  }

  /** Returns empty data after an error, so that the page can show it. */
  async function pageData(request: FastifyRequest, reply: FastifyReply): Promise<PageData> {
    try {
      return await startData(request)
    } catch (error) {
      request.log.error({ err: error }, 'start data of a page could not be read')
      reply.code(503).header('retry-after', 5)
      return {
        appName: '',
        baseUrl: '',
        icons: null,
        palettes: null,
        showBird: true,
        language: 'en-US',
        ownLanguage: null,
        data: { user: null, settings: null, palettes: null },
      }
    }
  }
}

function preferencesOf(site: Site, { language: fallback, ownLanguage }: Languages, request: FastifyRequest) {
  const codes = site.languages.map(({ code }) => code)
  const chosen = ownLanguage !== null && codes.includes(ownLanguage) ? ownLanguage : request.cookies.language
  const code = chooseLanguage(codes, fallback, chosen, request.headers['accept-language'])
  const language = site.languages.find((candidate) => candidate.code === code)
  if (!language) throw new Error(`no pages in ${code}`)
  const scheme = request.cookies.color_scheme
  const colorScheme: ColorScheme = scheme === 'light' || scheme === 'dark' ? scheme : 'system'
  const { file_view: view } = request.cookies
  const fileView: FileView | null = view === 'list' || view === 'grid' ? view : null
  return { language, colorScheme, fileView }
}

function pathWith(path: string, params: Record<string, string>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}
