import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateMultipartUploadCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import t, { type Test } from 'tap'
import { ObjectMissing, StoreUnavailable } from '../../src/storage/object-store.ts'
import { type S3Settings, s3Clients } from '../../src/storage/s3/client.ts'
import { listParts } from '../../src/storage/s3/parts.ts'
import { type S3Store, s3Store } from '../../src/storage/s3/s3-store.ts'
import { faultProxy } from '../support/s3/fault-proxy.ts'
import { begin, bodyOf, put, refuses, send, someKey } from '../support/s3/object-store-suite.ts'
import { contentOf, noS3, plainClient, testBucket } from '../support/s3/s3.ts'

if (noS3) t.plan(0, noS3)
else {
  const settings = await testBucket(t)
  const { endpoint, credentials, bucket } = settings as S3Settings & {
    endpoint: string
    credentials: NonNullable<S3Settings['credentials']>
  }

  /** Returns a store with other settings. */
  const storeWith = (t: Test, changes: Partial<S3Settings> = {}): S3Store => {
    const store = s3Store({ ...settings, ...changes })
    t.teardown(() => store.close())
    return store
  }
  const says = async (t: Test, changes: Partial<S3Settings>, explainProblem: RegExp) => {
    const outcome = await storeWith(t, changes)
      .check()
      .catch((error) => error)
    t.type(outcome, StoreUnavailable)
    t.match(outcome.message, explainProblem)
  }

  t.test('reports what is wrong, and which variable fixes it', async (t) => {
    await says(t, { bucket: 'no-such-bucket-here' }, /There is no bucket "no-such-bucket-here" at .*S3_BUCKET/)
    await says(t, { credentials: { ...credentials, accessKeyId: 'nobody' } }, /does not know the access key.*S3_ACCESS_KEY_ID/)
    await says(t, { credentials: { ...credentials, secretAccessKey: 'wrong' } }, /secret key.*S3_SECRET_ACCESS_KEY/)
    await says(t, { endpoint: 'http://127.0.0.1:1' }, /Nothing listens at .*S3_ENDPOINT/)
    await says(t, { endpoint: 'http://no-such-host.invalid' }, /cannot be resolved.*S3_ENDPOINT/)
    await says(t, { endpoint: endpoint.replace('http:', 'https:') }, /does not speak TLS.*S3_ENDPOINT/)
  })

  t.test('recognizes refusals in the wording of other servers', async (t) => {
    const proxy = await faultProxy(endpoint)
    t.teardown(() => proxy.close())
    const refused = async (status: number, code: string, explainProblem: RegExp) => {
      proxy.trouble = { fault: { status, code }, meets: () => true }
      await says(t, { endpoint: proxy.url }, explainProblem)
    }
    await refused(400, 'AuthorizationHeaderMalformed', /not in the region "us-east-1".*S3_REGION/)
    await refused(403, 'RequestTimeTooSkewed', /clocks .* NTP/)
    await refused(403, 'AccessDenied', /may not use the bucket/)
    await refused(418, 'Teapot', /cannot be used: Teapot \(status 418\)/)
  })

  t.test('reports a server that is not an S3 server', async (t) => {
    const page = createServer((_, response) => response.end('<html>hello</html>')).listen(0, '127.0.0.1')
    const mute = createTcpServer((socket) => socket.end('220 mail.example.org ESMTP\r\n')).listen(0, '127.0.0.1')
    t.teardown(() => Promise.all([page.close().closeAllConnections(), mute.close()]))
    await Promise.all([once(page, 'listening'), once(mute, 'listening')])
    const at = (port: number) => ({ endpoint: `http://127.0.0.1:${port}`, bucket: 'x' })
    await says(t, at((page.address() as AddressInfo).port), /not from an S3 server.*S3_ENDPOINT/)
    await says(t, at((mute.address() as AddressInfo).port), /cannot be used: HPE_/)
  })

  t.test('requires S3_CA_FILE for a server with a private certificate authority', async (t) => {
    if (spawnSync('openssl', ['version']).status !== 0) return t.pass('skipped: no openssl to make a certificate with', { skip: true })
    const folder = mkdtempSync(join(tmpdir(), 'razorbill-ca-'))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const [key, caFile] = [join(folder, 'key.pem'), join(folder, 'ca.pem')]
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1']
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key]
    execFileSync('openssl', ['req', '-x509', ...newKey, '-out', caFile, '-days', '2', ...subject], { stdio: 'ignore' })
    const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(caFile) }, (incoming, outgoing) => {
      const { method, headers } = incoming
      incoming.pipe(
        request(new URL(incoming.url!, endpoint), { method, headers }, (reply) => {
          outgoing.writeHead(reply.statusCode!, reply.headers)
          reply.pipe(outgoing)
        }),
      )
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(async () => server.close().closeAllConnections())
    const secure = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    await says(t, { endpoint: secure }, /not trusted .*Set S3_CA_FILE/)
    const store = storeWith(t, { endpoint: secure, caFile })
    await store.check()
    await store.remove([await put(store, Buffer.from('through TLS'))])
    t.throws(() => s3Store({ ...settings, caFile: join(folder, 'none.pem') }), { code: 'ENOENT' })
  })

  t.test('sweeps abandoned uploads, and keeps active and foreign ones', async (t) => {
    const [store, client] = [storeWith(t), plainClient(settings)]
    t.teardown(async () => client.destroy())
    const [abandoned, current] = [await begin(store), await begin(store)]
    await send(store, abandoned, 1)
    await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: 'backups/of-somebody' }))
    t.equal(await store.sweepTemporary(3_600_000), 0, 'all are recent')
    await new Promise((resolve) => setTimeout(resolve, 2_500)) // S3 counts in seconds
    await send(store, current, 3)
    t.equal(await storeWith(t).sweepTemporary(1_500), 1)
    const left = (await contentOf(client, bucket)).uploads.map(({ key }) => key)
    t.same(left.sort(), ['backups/of-somebody', current.key].sort())
    await store.abort(current)
  })

  t.test('removes the unfinished uploads of a dead worker together with the archive', async (t) => {
    const [store, client] = [storeWith(t), plainClient(settings)]
    t.teardown(async () => client.destroy())
    const key = `zips/${someKey().slice(7, 43)}/1`
    await store.write(key, bodyOf(Buffer.from('an older one')))
    const other = { ...(await begin(store)), key: `${key}2` }
    other.id = await store.begin(other.key, 1, 1)
    await store.begin(key, 1, 1)
    await store.remove([key])
    const { uploads, objects } = await contentOf(client, bucket)
    t.notOk(objects.includes(key))
    const ours = uploads.filter((upload) => upload.key.startsWith(key))
    t.same(ours, [{ key: other.key, id: other.id }], 'and of no other')
  })

  t.test('removes more than a thousand objects at once', async (t) => {
    const [store, client] = [storeWith(t), plainClient(settings)]
    t.teardown(async () => client.destroy())
    const there = Array.from({ length: 20 }, () => someKey())
    for (const key of there) await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: 'x' }))
    const keys = [...there.slice(0, 10), ...Array.from({ length: 1_990 }, someKey), ...there.slice(10)]
    await store.remove(keys)
    const { objects } = await contentOf(client, bucket)
    t.same(
      objects.filter((key) => there.includes(key)),
      [],
    )
  })

  t.test('lists the stored parts over several pages', async (t) => {
    const [store, clients] = [storeWith(t), s3Clients(settings)]
    t.teardown(async () => clients.destroy())
    const upload = await begin(store, Buffer.alloc(5, 7), 1)
    for (const number of [5, 1, 4, 3, 2]) await send(store, upload, number, Buffer.alloc(5, 7))
    const parts = await listParts(clients, upload, 2)
    t.same(
      parts.map(({ number, size }) => [number, size]),
      [1, 2, 3, 4, 5].map((number) => [number, 1]),
    )
    await store.abort(upload)
    await refuses(t, listParts(clients, upload), ObjectMissing)
  })
}
