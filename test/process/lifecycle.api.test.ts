import { randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { dataFolder, processesOf, startProcess, startServer } from '../support/app/server-process.ts'
import { halfUpload, person, portOf, ready, signUp } from '../support/people/person.ts'

// Starts the whole product by its own command: every process in here is a real one.

t.test('prints the address and first steps, finishes running requests on a signal, and leaves nothing', async (t) => {
  const dataDir = await dataFolder(t)
  const server = await startServer(t, dataDir)
  t.ok(server.output().includes(`open ${server.url()}/auth/signUp`))
  const { mode } = await stat(join(dataDir, 'secret-key'))
  t.equal(mode & 0o777, 0o600)
  for (const host of ['127.0.0.1', '[::1]']) t.equal(await (await fetch(`http://${host}:${portOf(server)}/api/health`)).text(), 'OK')
  t.match(await ready(server), { code: 200, dependencies: { database: 'up', queue: 'up', storage: 'up' } })
  const { version } = JSON.parse(await readFile('package.json', 'utf8'))
  t.same(JSON.parse(String((await person(server).good('GET', '/version')).body)), { version })

  const cookie = await signUp(server)
  const admin = person(server, cookie)
  const content = randomBytes(4 * 1_048_576)
  await admin.good('POST', '/shares', { id: 'secret-link', expiration: 'never' })
  const file = await admin.announce('secret-link', 'a.bin', content.length)

  await t.test('refuses a second start on the same folder with a message', async (t) => {
    const second = startProcess(t, { DATA_DIR: dataDir })
    t.equal(await second.ended, 1)
    t.match(
      second.output().trim(),
      /^Another Razorbill \(process \d+\) is already using .* Stop it first, or set DATA_DIR to another folder\.$/,
    )
  })

  const upload = await halfUpload(server, cookie, `/shares/secret-link/files/${file.id}/parts/1`, content)
  // Ctrl-C reaches every process of the terminal, and npm sends it to its child once more.
  server.signalGroup('SIGINT')
  await server.says('shutting down gracefully')
  server.child.kill('SIGINT')
  await t.rejects(fetch(`http://127.0.0.1:${portOf(server)}/api/health`), 'new connections are refused')
  t.equal(processesOf(dataDir).length > 0, true, 'PostgreSQL stops last')
  t.equal((await upload.finish()).status, 200)
  t.equal(await server.ended, 0)
  t.same(processesOf(dataDir), [])
  t.same(server.output().match(/.*"level":"(error|fatal)".*/g), null)

  const requests = server.logged('request')
  t.match(
    requests.find(({ method }) => method === 'PUT'),
    { route: '/api/shares/:id/files/:fileId/parts/:number', status: 200, reqId: String, ms: Number, bytesIn: Number, bytesOut: Number },
  )
  t.ok(Number(requests.find(({ method }) => method === 'PUT')?.bytesIn) > content.length)
  t.notOk(server.output().includes('secret-link'), 'links are not logged')
})

t.test('refuses an impossible start with a message, and leaves nothing running', async (t) => {
  const taken = await startServer(t, await dataFolder(t), { WORKER: 'off' })
  const dataDir = await dataFolder(t)
  const cases: [environment: Record<string, string>, explainProblem: RegExp, program?: string][] = [
    [
      { DATA_DIR: dataDir, PORT: String(portOf(taken)) },
      /^Port \d+ is in use by another program\. Stop it, or set PORT to another number\.$/m,
    ],
    [{ PORT: 'x', WORKER: 'y' }, /^Razorbill cannot start:\n {2}- PORT must be .*\n {2}- WORKER is "y"/],
    [{ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, /SECRET_KEY must be set when DATABASE_URL is set/],
    [{}, /^Set DATABASE_URL and SECRET_KEY\./, 'worker/main.ts'],
  ]
  for (const [environment, explainProblem, program] of cases) {
    const refused = startProcess(t, environment, program)
    t.equal(await refused.ended, 1)
    t.match(refused.output(), explainProblem)
    t.notMatch(refused.output(), /\n {4}at /, 'no stack trace')
  }
  t.same(processesOf(dataDir), [])
  taken.child.kill('SIGTERM')
  t.equal(await taken.ended, 0)
})

t.test('waits for unfinished requests only until a second signal', async (t) => {
  const dataDir = await dataFolder(t)
  const server = await startServer(t, dataDir)
  const cookie = await signUp(server)
  await person(server, cookie).good('POST', '/shares', { id: 'photos', expiration: 'never' })
  const file = await person(server, cookie).announce('photos', 'a.bin', 4_000_000)
  await halfUpload(server, cookie, `/shares/photos/files/${file.id}/parts/1`, Buffer.alloc(4_000_000))
  server.child.kill('SIGTERM')
  await server.says('shutting down gracefully')
  await new Promise((resolve) => setTimeout(resolve, 700))
  t.equal(server.child.exitCode, null)
  server.child.kill('SIGTERM')
  t.equal(await server.ended, 0)
  t.same(processesOf(dataDir), [])
})
