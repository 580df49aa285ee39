import { spawnSync } from 'node:child_process'
import t from 'tap'
import product from '../../package.json' with { type: 'json' }
import { dataFolder, startProcess } from '../support/app/server-process.ts'
import { unzipped } from '../support/app/worker.ts'
import { cookiesOf, person, signUp } from '../support/people/person.ts'
import { png } from '../support/png.ts'

// What `npm start` and the images run. Files that the server reads by their path stay outside.
const [, build] = product.scripts.build.split(' && ')
const built = spawnSync(process.execPath, build!.split(' ').slice(1), { encoding: 'utf8' })
const program = product.scripts.start.split(' ').at(-1)!

t.test('the bundle serves everything that lies beside its sources', async (t) => {
  t.equal(built.status, 0, built.stderr)
  const server = startProcess(t, { DATA_DIR: await dataFolder(t) }, program)
  await server.says('Razorbill is ready')
  const account = { username: 'alice', email: 'alice@example.com', password: 'password1' }
  t.match(
    await reply(person(server).call('POST', '/auth/signUp', account)),
    [400, /password_too_common|guess/],
    'the list of common passwords',
  )
  const admin = person(server, await signUp(server))
  t.match(await reply(admin.call('GET', '/docs')), [200, /<style/], 'the page about the API')
  t.match(await reply(admin.call('GET', '/openapi.json')), [200, new RegExp(`"version":"${product.version}"`)])
  t.match(await reply(admin.call('GET', '/configs/admin/email')), [200, /shareRecipients/], 'the default texts of emails')
  const edge = { 'content-type': 'multipart/form-data; boundary=edge' }
  const logo = Buffer.concat([
    Buffer.from('--edge\r\nContent-Disposition: form-data; name="file"; filename="logo.png"\r\nContent-Type: image/png\r\n\r\n'),
    png(40, 40, () => [0, 0, 255, 255]),
    Buffer.from('\r\n--edge--\r\n'),
  ])
  t.match(await reply(admin.call('POST', '/configs/admin/logo', logo, edge)), [201, /./], 'the thread that reads logos')
  await admin.share('small', Buffer.from('content'))
  const visitor = person(server, cookiesOf(await admin.good('POST', '/shares/small/token', {})))
  t.same(
    await unzipped((await visitor.good('GET', '/shares/small/files/zip')).body),
    { 'a.bin': Buffer.from('content') },
    'the threads that read files',
  )
})

t.test('the bundle runs the worker in a process of its own', async (t) => {
  const server = startProcess(t, { DATA_DIR: await dataFolder(t), WORKER: 'process' }, program)
  await server.says('worker is ready')
  t.match(server.output(), /"role":"worker"[^\n]*"worker is ready"/)
})

async function reply(call: Promise<{ status: number; body: Buffer }>): Promise<[number, string]> {
  const { status, body } = await call
  return [status, String(body)]
}
