import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { isPermitted } from '../../cli/redirect.ts'
import { Machine } from '../support/command.ts'

// A server that is not Razorbill, or a malicious one.

t.setTimeout(120_000)

async function listen(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const page = (...files: object[]) => ({ id: 'trap', name: null, files, size: 1, hasPassword: false })

/** Shows `share` as every share; `file` serves every file. */
function serving(t: Test, share: unknown, file: RequestListener = (_request, response) => response.end('x')): Promise<string> {
  return listen(t, (request, response) => {
    if (/\/files\//.test(request.url!)) return file(request, response)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(share))
  })
}

const get = (own: Machine, url: string) => own.run('get', `${url}/share/trap`, '-o', 'in', '--json')
const isRefused = { code: 1, err: /"error":"unexpected_answer"/ }

t.test('refuses impossible sizes, names and ids before it writes anything', async (t) => {
  const cases: [name: string, file: object | null][] = [
    ['a size that is no number', { id: 'a', name: 'a', size: 'NaN' }],
    ['an endless size', { id: 'a', name: 'a', size: 'Infinity' }],
    ['a negative size', { id: 'a', name: 'a', size: '-1' }],
    ['a size above the exact numbers', { id: 'a', name: 'a', size: '9007199254740993' }],
    ['a size that is absent', { id: 'a', name: 'a' }],
    ['a name of 8 MB', { id: 'a', name: '. '.repeat(4_000_000), size: '1' }],
    ['a name of 2,000 folders', { id: 'a', name: 'a/'.repeat(2000), size: '1' }],
    ['a name that is no text', { id: 'a', name: { length: 1 }, size: '1' }],
    ['an id that is a path', { id: '../a', name: 'a', size: '1' }],
    ['no file', null],
  ]
  for (const [name, file] of cases) {
    const own = new Machine(t)
    const began = performance.now()
    t.match(await get(own, await serving(t, page(file as object))), isRefused, name)
    t.ok(performance.now() - began < 20_000, 'soon')
    t.notOk(existsSync(join(own.files, 'in/a')))
  }
  t.match(await get(new Machine(t), await serving(t, { ...page(), files: 'all' })), isRefused, 'not a list')
})

t.test('stops reading an endless response', async (t) => {
  let sent = 0
  const url = await listen(t, (_request, response) => {
    const megabyte = Buffer.alloc(1_048_576, ' ')
    const more = () => {
      while (!response.destroyed && sent < 1e9) {
        sent += megabyte.length
        if (!response.write(megabyte)) return response.once('drain', more)
      }
    }
    more()
  })
  t.match(await get(new Machine(t), url), isRefused)
  t.ok(sent < 100e6, `${sent / 1e6} MB were sent`)
})

t.test('sends neither token nor cookie to the store of a redirect, and follows no second redirect', async (t) => {
  const seen: IncomingMessage[] = []
  const store = await listen(t, (request, response) => {
    seen.push(request)
    if (request.url === '/bytes') return response.end('x')
    response.writeHead(302, { location: '/bytes' }).end()
  })
  const to = (path: string) => (_request: IncomingMessage, response: ServerResponse) =>
    response.writeHead(302, { location: store + path }).end()
  const good = await serving(t, page({ id: 'a', name: 'a', size: '1' }), to('/bytes'))
  const own = new Machine(t)
  own.env = { RAZORBILL_URL: good, RAZORBILL_TOKEN: 'secret' }
  t.match(await get(own, good), { code: 0 })
  t.equal(readFileSync(join(own.files, 'in/a'), 'utf8'), 'x')
  t.equal(seen.length, 1)
  t.match(seen[0]!.headers, { authorization: undefined, cookie: undefined })
  const chain = await serving(t, page({ id: 'a', name: 'a', size: '1' }), to('/more'))
  t.match(await get(new Machine(t), chain), { code: 1 })
  t.equal(seen.length, 2, 'the second redirect was not followed')
})

t.test('requests the bytes from the server itself when a redirect target is not allowed', async (t) => {
  const url = await serving(t, page({ id: 'a', name: 'a', size: '1' }), (request, response) => {
    if (request.headers.range) return response.writeHead(206, { 'content-range': 'bytes 0-0/1' }).end('x')
    response.writeHead(302, { location: 'file:///etc/passwd' }).end()
  })
  const own = new Machine(t)
  t.match(await get(own, url), { code: 0 })
  t.equal(readFileSync(join(own.files, 'in/a'), 'utf8'), 'x')
})

t.test('checks the addresses that a server may name', async (t) => {
  const cases: [server: string, address: string, may: boolean][] = [
    ['https://203.0.113.1', 'https://203.0.113.1/x', true],
    ['https://203.0.113.1', 'https://203.0.113.1:9000/x', true],
    ['https://203.0.113.1', 'https://198.51.100.7/x', true],
    ['http://203.0.113.1', 'https://198.51.100.7/x', true],
    ['http://192.168.1.5', 'http://192.168.1.6:9000/x', true],
    ['https://203.0.113.1', 'http://203.0.113.1/x', false],
    ['https://203.0.113.1', 'http://198.51.100.7/x', false],
    ['https://203.0.113.1', 'https://user:password@198.51.100.7/x', false],
    ['https://203.0.113.1', 'ftp://198.51.100.7/x', false],
    ['https://203.0.113.1', 'file:///etc/passwd', false],
    ['https://203.0.113.1', 'https://127.0.0.1/x', false],
    ['https://203.0.113.1', 'https://localhost/x', false],
    ['https://203.0.113.1', 'https://192.168.1.1/x', false],
    ['https://203.0.113.1', 'https://169.254.169.254/latest/meta-data', false],
    ['https://203.0.113.1', 'https://[::1]/x', false],
    ['https://203.0.113.1', 'https://[::ffff:127.0.0.1]/x', false],
    ['https://203.0.113.1', 'https://[fd00::1]/x', false],
    ['https://203.0.113.1', 'https://2130706433/x', false],
    ['https://203.0.113.1', '', false],
  ]
  for (const [server, address, may] of cases) t.equal(await isPermitted(address, server), may, `${server} ${address}`)
})

t.test('rejects an upload id that is a path, and impossible parts', async (t) => {
  const created = { id: 'trap', link: 'http://127.0.0.1/share/trap', expiration: '1970-01-01T00:00:00.000Z' }
  const sending = (t: Test, share: object, file: object) =>
    listen(t, (request, response) => {
      request.resume()
      response.setHeader('content-type', 'application/json')
      response.statusCode = 201
      response.end(JSON.stringify(/\/files/.test(request.url!) ? file : share))
    })
  const up = async (share: object, file: object) => {
    const own = new Machine(t)
    own.env = { RAZORBILL_URL: await sending(t, share, file) }
    writeFileSync(join(own.files, 'a'), 'content')
    return { own, ended: await own.run('up', 'a', '--json') }
  }
  const path = await up({ ...created, id: '../../../../escaped' }, {})
  t.match(path.ended, isRefused)
  t.notOk(readdirSync(path.own.folder, { recursive: true }).some((name) => String(name).includes('escaped')))
  for (const parts of [
    { partSize: 0, partCount: 1 },
    { partSize: 'NaN', partCount: 1 },
    { partSize: 1, partCount: 1e12 },
    { partSize: 1.5, partCount: 1 },
  ]) {
    t.match((await up(created, { id: 'a', ...parts })).ended, isRefused, JSON.stringify(parts))
  }
})
