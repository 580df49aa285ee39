import { STATUS_CODES } from 'node:http'
import { createRequire } from 'node:module'
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { errorStatus } from '../errors.ts'
import type { Endpoint } from '../http/contract.ts'
import { type Access, accessOf } from '../http/guards.ts'

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }

export interface Schema {
  type?: string | string[]
  description?: string
  format?: string
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  [keyword: string]: unknown
}
export interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  description?: string
  schema: Schema
}
type Content = Record<string, { schema?: Schema }>
export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { description: string; content?: Content } | { $ref: string }>
  security: Record<string, string[]>[]
}
export interface ApiDocument {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string }
  /** The path of the site, if it is not the root of its host. */
  servers?: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: object
}

/**
 * Collects all routes under `/api` that are registered later. Returns a function that creates their
 * OpenAPI 3.1 document.
 */
export function collectApi(app: FastifyInstance): () => ApiDocument {
  const paths: ApiDocument['paths'] = {}
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/api/') || route.method === 'HEAD') return
    const url = route.url.replace(/:(\w+)/g, '{$1}')
    const path = paths[url] ?? {}
    paths[url] = path
    for (const method of [route.method].flat().map((name) => name.toLowerCase())) {
      const described = operation(route, method)
      path[method] = path[method] ? merged(path[method], described) : described
    }
  })
  return () => ({
    openapi: '3.1.0',
    info: { title: 'Razorbill', version, description: about },
    ...(app.basePath !== '' && { servers: [{ url: app.basePath }] }),
    tags: tagsOf(paths),
    paths,
    components,
  })
}

const about = `The pages use the same calls.

Scripts send an API token, which is created on the account page, as \`Authorization: Bearer rzb_…\`. Browsers send cookies, and state-changing calls are accepted only from the installation's own pages.

Every error is \`{statusCode, error, message, …}\`: \`error\` is one of the stable codes below, and \`message\` is text for people. Dates are ISO 8601 in UTC; 1970-01-01T00:00:00.000Z means "never".`

function operation({ url, config, schema, onRequest }: RouteOptions, method: string): Operation {
  const endpoint: Endpoint = config?.endpoint ?? { summary: (schema as { summary?: string } | undefined)?.summary ?? `${method} ${url}` }
  const access = [onRequest].flat().map(accessOf).find(Boolean)
  const body = requestBody(endpoint)
  return {
    operationId: [method, ...url.split(/[/:.-]+/).slice(2)].map((word, index) => (index > 0 ? capital(word) : word)).join(''),
    tags: [tagOf(url)],
    summary: endpoint.summary,
    parameters: [...parameters('path', endpoint.params), ...parameters('query', endpoint.querystring)],
    ...(body && { requestBody: body }),
    responses: responses(endpoint, access),
    security: security(access),
  }
}

/** Returns the first segment of the path, except for the files of a share and for operation. */
function tagOf(url: string): string {
  const [, , first = '', , third] = url.split('/')
  if (first === 'upload' || third === 'files') return 'files'
  return ['health', 'version', 'system', 'docs', 'openapi.json'].includes(first) ? 'operation' : first
}

/** Returns the used tags: the most common ones for scripts first, operation last. */
function tagsOf(paths: ApiDocument['paths']): ApiDocument['tags'] {
  const used = Object.values(paths).flatMap((path) => Object.values(path).flatMap(({ tags }) => tags))
  return [...new Set(['files', 'shares', 'reverseShares', ...used.filter((tag) => tag !== 'operation'), 'operation'])].map((name) => ({
    name,
  }))
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function parameters(where: 'path' | 'query', declared: TSchema | undefined): Parameter[] {
  const { properties = {}, required = [] } = (declared ?? {}) as Schema
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    ...(description && { description }),
    schema,
  }))
}

function requestBody({ body, consumes = {} }: Endpoint): Operation['requestBody'] {
  const content: Content = {
    ...(body && { 'application/json': { schema: body as Schema } }),
    ...Object.fromEntries(Object.entries(consumes).map(([type, schema]) => [type, schema ? { schema: schema as Schema } : {}])),
  }
  return Object.keys(content).length > 0 ? { required: true, content } : undefined
}

function responses({ params, querystring, body, consumes, response, produces, status = 200 }: Endpoint, access: Access | undefined) {
  const content: Content = {
    ...(response && { 'application/json': { schema: response as Schema } }),
    ...(produces && { [produces]: {} }),
  }
  const hasInput = params ?? querystring ?? body ?? consumes
  const failures = [hasInput && 400, access && !access.visitors && 401, access && 403, params && 404].filter(
    (code) => typeof code === 'number',
  )
  return {
    [status]: { description: STATUS_CODES[status] ?? '', ...(Object.keys(content).length > 0 && { content }) },
    ...Object.fromEntries(failures.map((code) => [code, { $ref: `#/components/responses/${code}` }])),
    default: { $ref: '#/components/responses/default' },
  }
}

function security(access: Access | undefined): Operation['security'] {
  if (!access) return []
  const schemes: Operation['security'] = access.scope === 'session' ? [{ session: [] }] : [{ session: [] }, { token: [access.scope] }]
  return access.visitors ? [{}, ...schemes] : schemes
}

/** Combines two calls with the same path and method. Bodies and replies become alternatives. */
function merged(first: Operation, second: Operation): Operation {
  const parameters = new Map(
    [...first.parameters, ...second.parameters].map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]),
  )
  const replies = [first, second].flatMap(({ responses }) => Object.entries(responses))
  const responses: Operation['responses'] = {}
  for (const [status, reply] of replies) {
    const existing = responses[status]
    responses[status] = existing && 'content' in existing && 'content' in reply ? eitherOf(existing, reply) : reply
  }
  return {
    ...first,
    summary: `${first.summary}; or: ${second.summary}`,
    parameters: [...parameters.values()].map((parameter) => ({ ...parameter, required: parameter.in === 'path' })),
    requestBody: { required: true, content: { ...first.requestBody?.content, ...second.requestBody?.content } },
    responses,
  }
}

function eitherOf(first: { description: string; content?: Content }, second: { content?: Content }) {
  const anyOf = [first, second].map(({ content }) => content?.['application/json']?.schema).filter((schema) => schema !== undefined)
  return { description: first.description, content: { ...first.content, ...second.content, 'application/json': { schema: { anyOf } } } }
}

const failure = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

const components = {
  securitySchemes: {
    session: { type: 'apiKey', in: 'cookie', name: 'access_token', description: 'The session of a signed-in browser' },
    token: { type: 'http', scheme: 'bearer', description: 'An API token with the scope that a call requires' },
  },
  responses: {
    400: failure('The input is not valid.'),
    401: failure('The caller is not signed in.'),
    403: failure('The caller may not do this.'),
    404: failure('It does not exist, or the caller may not see it.'),
    default: failure('The call failed.'),
  },
  schemas: {
    Error: {
      type: 'object',
      required: ['statusCode', 'error', 'message'],
      properties: {
        statusCode: { type: 'integer' },
        error: { type: 'string', enum: Object.keys(errorStatus) },
        message: { type: 'string' },
        issues: {
          type: 'array',
          description: 'of `validation_failed`',
          items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
        },
        retryAfter: { type: 'number', description: 'seconds' },
      },
    },
  },
}
