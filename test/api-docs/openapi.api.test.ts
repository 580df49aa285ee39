import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import type { ApiDocument } from '../../src/api-docs/openapi.ts'
import { errorStatus } from '../../src/errors.ts'
import { testApp } from '../support/app/app.ts'

const { app } = await testApp(t)
const answer = await app.inject({ url: '/api/openapi.json' })
if (answer.statusCode !== 200) throw new Error(answer.body)
const document: ApiDocument = answer.json()
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ key: `${method.toUpperCase()} ${path}`, ...operation })),
)
const find = (key: string) => operations.find((one) => one.key === key)!

/** The routes of the router's tree. Each line extends the path of its parent line. */
function routesOf(tree: string): string[] {
  const above: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', piece = '', methods = ''] = /^([│├└─\s]*)(\S*?)(?: \(([A-Z, ]+)\).*)?$/.exec(line) ?? []
    const depth = indent.length / 4 - 1
    above.splice(depth, above.length, piece)
    return methods ? methods.split(', ').map((method) => `${method} ${above.join('')}`) : []
  })
}

t.test('is valid OpenAPI 3.1', async (t) => {
  t.match(answer.headers['content-type'], /^application\/json/)
  const validator = new Validator()
  const { valid, errors } = await validator.validate(answer.json())
  t.ok(valid, JSON.stringify(errors)?.slice(0, 2000))
  t.equal(validator.version, '3.1')
  const broken = { ...document, paths: { '/x': { get: { responses: 'none' } } } }
  t.notOk((await new Validator().validate(broken)).valid, 'detects a broken one')
  const again = await app.inject({ url: '/api/openapi.json', headers: { 'if-none-match': String(answer.headers.etag) } })
  t.equal(again.statusCode, 304)
})

t.test('lists every /api route with a summary and a unique id', async (t) => {
  const registered = routesOf(app.printRoutes({ commonPrefix: false }))
  const known = new Set(operations.map(({ key }) => key.replace(/\{\w+\}/g, '*')))
  const missing = registered
    .filter((route) => / \/api\//.test(route) && !route.startsWith('HEAD'))
    .filter((route) => !known.has(route.replace(/:\w+(?:\|:\w+)*/g, '*')))
  t.same(missing, [])
  t.ok(registered.includes('POST /api/upload'), 'the router tree was parsed')
  t.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
  const undescribed = operations.filter(({ summary, tags }) => !summary || summary.includes('/api/') || tags.length !== 1)
  t.same(
    undescribed.map(({ key }) => key),
    [],
  )
})

t.test('documents what each call accepts, returns and rejects', async (t) => {
  const create = find('POST /api/shares')
  t.match(create.requestBody?.content['application/json']?.schema?.properties, { expiration: { type: 'string' } })
  const uses = (key: string) => find(key).requestBody?.content['application/json']?.schema?.properties?.maxUseCount
  t.match(uses('POST /api/reverseShares'), { description: 'null: no limit; 1 when absent' })
  t.match(uses('PATCH /api/reverseShares/{id}'), { description: /^null: no limit$/ })
  t.match(create.responses[201], { content: { 'application/json': { schema: { properties: { link: {} } } } } })
  t.same(create.security, [{}, { session: [] }, { token: ['shares:write'] }])
  t.same(find('GET /api/users').security, [{ session: [] }, { token: ['admin'] }])
  t.same(find('GET /api/auth/tokens').security, [{ session: [] }])
  t.same(find('GET /api/configs').security, [])
  t.same(Object.keys(find('GET /api/users').responses).sort(), ['200', '400', '401', '403', 'default'])
  t.match(find('GET /api/shares/{id}').parameters, [{ name: 'id', in: 'path', required: true }])
  const files = find('POST /api/shares/{id}/files')
  t.same(Object.keys(files.requestBody!.content).sort(), ['application/json', 'application/octet-stream'], 'two calls share this path')
  t.match(find('POST /api/upload').requestBody?.content, { 'multipart/form-data': {} })
  const { schemas } = document.components as { schemas: { Error: { properties: { error: { enum: string[] } } } } }
  t.same(schemas.Error.properties.error.enum, Object.keys(errorStatus))
})

t.test('loads nothing from other sites, obeys its policy, and shows an example for every call', async (t) => {
  const page = await app.inject({ url: '/api/docs', headers: { cookie: 'color_scheme=dark' } })
  t.match(page.headers['content-type'], /^text\/html/)
  const policy = String(page.headers['content-security-policy'])
  const [, nonce] = /script-src 'nonce-([^']+)'/.exec(policy) ?? []
  t.match(policy, /^default-src 'none';/)
  t.notMatch(policy, /unsafe/)
  const tags = [...page.body.matchAll(/<(?:script|style)[^>]*>/g)].map(([tag]) => tag)
  t.ok(tags.length === 2 && tags.every((tag) => tag.includes(`nonce="${nonce}"`)))
  t.notMatch(page.body, /(?:src|href)="(?:https?:)?\/\//)
  t.notMatch(page.body, / style="| on\w+="/)
  t.match(page.body, /data-theme="dark"/)
  const absent = operations.filter(({ operationId }) => !page.body.includes(`id="${operationId}"`))
  t.same(
    absent.map(({ key }) => key),
    [],
  )
  t.equal(page.body.split('curl -sf').length - 1, operations.length)
  t.notMatch(page.body, /undefined|\[object/)
})
