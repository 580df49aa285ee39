import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { readEnv } from '../../src/env.ts'
import { testApp } from '../support/app/app.ts'
import { openToProxies, sendfileProxies } from '../support/app/sendfile-proxies.ts'
import { fetchWhole, listen } from '../support/listening.ts'
import { packBody, sendPack } from '../support/packs.ts'
import { signUp } from '../support/people/people.ts'
import { ok, sharing } from '../support/sharing.ts'

const content = randomBytes(300_000)
const throughProxy = { 'x-forwarded-for': '192.0.2.1' }
/** The headers that must be the same whoever sends the bytes. */
const described = [
  ...['content-type', 'content-length', 'content-disposition', 'content-security-policy', 'x-content-type-options'],
  ...['cross-origin-resource-policy', 'cache-control', 'accept-ranges', 'etag', 'last-modified'],
]

for (const proxy of sendfileProxies) {
  t.test(`${proxy.name} sends files`, { skip: proxy.missing }, async (t) => {
    const { app, ctx } = await testApp(t, { env: { trustProxy: ['127.0.0.1'], sendfile: proxy.sendfile } })
    const objects = join(ctx.env.dataDir, 'objects')
    const origin = await listen(app)
    await openToProxies(ctx.env.dataDir)
    const port = await proxy.start(t, { port: origin, objects })
    const headers = await signUp(app, 'alice')
    const alice = sharing(app, headers)
    const [file, page, empty] = await alice.share('files', {
      'ä b.bin': content,
      'page.html': '<script>alert(1)</script>',
      'empty.txt': '',
    })
    const address = `/api/shares/files/files/${file}`
    const get = (more = {}, path = address) => fetchWhole(port, path, { headers: more })
    const direct = await fetchWhole(origin, address)

    await t.test('with the headers of a download', async (t) => {
      const handed = await fetchWhole(origin, address, { headers: throughProxy })
      t.equal(handed.body.length, 0, 'the server sends no bytes')
      const name = proxy.sendfile === 'x-accel' ? 'x-accel-redirect' : 'x-sendfile'
      const key = String(handed.headers[name]).replace(/^\/razorbill-objects/, objects)
      t.ok((await readFile(key)).equals(content))
      const sent = await get()
      t.equal(sent.status, 200)
      t.ok(sent.body.equals(content))
      for (const name of described) t.equal(sent.headers[name], direct.headers[name], name)
      t.notOk(sent.headers['x-sendfile'] ?? sent.headers['x-accel-redirect'], 'no path is shown to visitors')
      const shown = await get({}, `/api/shares/files/files/${page}?download=false`)
      t.match([shown.headers['content-type'], shown.headers['content-security-policy']], [/text\/plain|octet/, /sandbox/])
      t.equal((await get({}, `/api/shares/files/files/${empty}`)).body.length, 0)
    })

    await t.test('in ranges, and under conditions', async (t) => {
      const { etag } = direct.headers
      const middle = await get({ range: 'bytes=1000-1999' })
      t.same([middle.status, middle.headers['content-range']], [206, 'bytes 1000-1999/300000'])
      t.ok(middle.body.equals(content.subarray(1000, 2000)))
      t.ok((await get({ range: 'bytes=-5', 'if-range': etag })).body.equals(content.subarray(-5)), 'continues the same file')
      t.equal(
        (await get({ range: 'bytes=-5', 'if-range': '"other"' })).body.length,
        content.length,
        'sends another file from its beginning',
      )
      t.equal((await get({ range: 'bytes=300000-' })).status, 416)
      t.equal((await get({ 'if-none-match': etag })).status, 304)
      t.equal((await get({ 'if-match': etag })).status, 200)
      t.equal((await get({ 'if-match': '"other"' })).status, 412)
      const head = await fetchWhole(port, address, { method: 'HEAD' })
      for (const name of described) t.equal(head.headers[name], direct.headers[name], name)
    })

    await t.test('only after the guard, and counts each visit', async (t) => {
      const [locked] = await alice.share('locked', { 'a.bin': content }, { security: { password: 'a secret word' } })
      t.equal((await get({}, `/api/shares/locked/files/${locked}`)).status, 403)
      const [once] = await alice.share('once', { 'a.bin': content }, { security: { maxViews: 1 } })
      const limited = `/api/shares/once/files/${once}`
      const other = { range: 'bytes=0-0', 'if-range': direct.headers.etag }
      t.equal((await get(other, limited)).body.length, content.length)
      t.equal((await get({}, limited)).status, 403, 'a range of another file is the whole file, which uses the only view')
      const [twice] = await alice.share('twice', { 'a.bin': content }, { security: { maxViews: 1 } })
      const probed = `/api/shares/twice/files/${twice}`
      t.equal((await get({ range: 'bytes=0-0' }, probed)).body.length, 1, 'a probe uses no view')
      const sent = await get({}, probed)
      t.ok(sent.body.equals(content))
      t.match(sent.headers['set-cookie'], [/share_.*token/])
      t.equal((await get({}, probed)).status, 403)
      t.ok((await get({ range: 'bytes=5-' }, probed)).body.equals(content.subarray(5)), 'a download can be resumed')
      const handed = await fetchWhole(origin, address, { headers: throughProxy })
      const path = String(handed.headers['x-accel-redirect'] ?? '/razorbill-objects/x')
      t.equal((await get({}, path)).status, 404, 'visitors have no access to the folder')
    })

    await t.test('except those of a pack, and zips', async (t) => {
      ok(await alice.create('packed'))
      const small = { name: 'small.txt', bytes: randomBytes(500) }
      const [id] = ok(await sendPack(app, headers, 'packed', packBody([small])))
        .json()
        .files.map((file: { id: string }) => file.id)
      ok(await alice.call('POST', '/packed/complete'))
      t.ok((await get({}, `/api/shares/packed/files/${id}`)).body.equals(small.bytes))
      t.equal((await get({}, '/api/shares/files/files/zip')).status, 200)
    })
  })
}

t.test('needs a trusted proxy and files on a disk', async (t) => {
  t.throws(() => readEnv({ SENDFILE: 'x-accel' }), { message: /TRUST_PROXY must be set together with SENDFILE\./ })
  t.throws(() => readEnv({ SENDFILE: 'nginx', TRUST_PROXY: '127.0.0.1' }), { message: /it must be one of off, x-accel, x-sendfile/ })
  t.match(readEnv({ SENDFILE: 'x-accel', TRUST_PROXY: '127.0.0.1', S3_BUCKET: 'files' }).warnings, [/SENDFILE has no effect/])
  const { app } = await testApp(t, { env: { trustProxy: ['192.0.2.7'], sendfile: 'x-sendfile' } })
  const alice = sharing(app, await signUp(app, 'alice'))
  const [file] = await alice.share('files', { 'a.bin': content })
  const foreign = await fetchWhole(await listen(app), `/api/shares/files/files/${file}`, { headers: throughProxy })
  t.ok(foreign.body.equals(content), 'a client that only claims to be a proxy gets no path')
})
