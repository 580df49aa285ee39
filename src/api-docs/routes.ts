import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Contract } from '../http/contract.ts'
import { endpoints } from '../http/route.ts'
import { collectApi } from './openapi.ts'
import { docsPage, type SiteInfo } from './page.ts'

const docsContract = {
  'GET /api/openapi.json': { summary: 'The OpenAPI 3.1 document of this API', produces: 'application/json' },
  'GET /api/docs': { summary: 'The documentation of this API as a page', produces: 'text/html' },
} satisfies Contract

interface Options {
  /** Reads the name and URL of the installation for the page. */
  siteInfo(request: FastifyRequest): Promise<Omit<SiteInfo, 'basePath' | 'nonce' | 'colorScheme'>>
}

/** Serves the API's documentation, from the contracts of the routes that are registered later. */
export function docsRoutes(app: FastifyInstance, { siteInfo }: Options): void {
  const describe = collectApi(app)
  const on = endpoints(app, docsContract)
  const described = once(() => {
    const document = describe()
    const text = JSON.stringify(document)
    return { document, text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"` }
  })
  app.addHook('onReady', async () => void described())

  on('GET /api/openapi.json', {}, async (request, reply) => {
    const { text, etag } = described()
    reply.headers({ etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(text)
  })

  on('GET /api/docs', {}, async (request, reply) => {
    const nonce = randomBytes(16).toString('base64')
    const { color_scheme: scheme } = request.cookies
    const colorScheme = scheme === 'light' || scheme === 'dark' ? scheme : 'system'
    const html = docsPage(described().document, { ...(await siteInfo(request)), basePath: app.basePath, nonce, colorScheme })
    return reply.headers(pageHeaders(nonce)).type('text/html; charset=utf-8').send(html)
  })
}

function pageHeaders(nonce: string): Record<string, string> {
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  return {
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex, nofollow',
  }
}

function once<T>(create: () => T): () => T {
  let created: { value: T } | undefined
  return () => {
    created ??= { value: create() }
    return created.value
  }
}
