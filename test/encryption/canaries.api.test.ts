import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import type { Jobs } from '../../src/queue/jobs.ts'
import { makePreviews } from '../../worker/make-previews.ts'
import { sendMail } from '../../worker/send-mail.ts'
import { testApp } from '../support/app/app.ts'
import { silentLog } from '../support/app/log.ts'
import { waitingJobs } from '../support/app/queue.ts'
import { storedFiles } from '../support/app/worker.ts'
import { callsOf } from '../support/calls.ts'
import { Machine } from '../support/command.ts'
import { signUp } from '../support/people/people.ts'
import { set } from '../support/sharing.ts'
import { mailServer, switchMailOn } from '../support/smtp.ts'

const lines: string[] = []
const keep = (...line: unknown[]) => void lines.push(JSON.stringify(line))
const log = { ...silentLog, fatal: keep, error: keep, warn: keep, info: keep, debug: keep, trace: keep, child: () => log }
const queue = waitingJobs()
const metricsToken = 'a token of the tests'
const { app, ctx } = await testApp(t, { queue, log, env: { metricsToken } })
/** Everything that the server has received and sent, except the bytes of bodies. */
app.addHook('onRequest', async ({ method, url, headers }) => keep(method, url, headers))
const url = await app.listen({ port: 0, host: '127.0.0.1' })
const mails = await mailServer(t)
await switchMailOn(ctx, mails.port)
await set(ctx, 'email.enableShareEmailRecipients', true)
const alice = await signUp(app, 'alice')
const token = (await callsOf(app, alice)('POST auth/tokens', { name: 'cli', scopes: ['shares:read', 'shares:write'] })).json().token

/** Returns every row of every table as text. */
async function database(): Promise<string> {
  const tables = await sql<{
    name: string
  }>`select table_name as name from information_schema.tables where table_schema = 'public'`.execute(ctx.db)
  const rows = await Promise.all(
    tables.rows.map(({ name }) => sql<{ row: string }>`select t::text as row from ${sql.table(name)} t`.execute(ctx.db)),
  )
  return rows.flatMap((result) => result.rows.map(({ row }) => row)).join('\n')
}

async function store(): Promise<Buffer> {
  const files = await storedFiles(ctx)
  return Buffer.concat(files.flatMap((file) => [Buffer.from(file), readFileSync(join(ctx.env.dataDir, 'objects', file))]))
}

const secrets = {
  content: 'canary-in-the-content',
  name: 'canary-in-the-file-name',
  folder: 'canary-in-the-folder-name',
  title: 'canary-in-the-title',
  description: 'canary-in-the-description',
  password: 'canary-in-the-password',
}

t.test('contents, names, texts, password and key are nowhere on the server', async (t) => {
  const own = new Machine(t)
  own.env = { RAZORBILL_URL: url, RAZORBILL_TOKEN: token }
  mkdirSync(join(own.files, secrets.folder))
  writeFileSync(join(own.files, secrets.folder, `${secrets.name}.jpg`), secrets.content.repeat(100))
  writeFileSync(join(own.files, secrets.folder, 'large.txt'), secrets.content.repeat(100_000))
  const options = ['--encrypt', `--password=${secrets.password}`, '--name', secrets.title, '--description', secrets.description]
  const sent = await own.run('up', secrets.folder, ...options, '--to', 'bob@example.com')
  t.equal(sent.code, 0, sent.err)
  const link = sent.out.trim()
  const reader = new Machine(t)
  t.equal((await reader.run('get', link, '--password=canary-that-is-wrong')).code, 5)
  const got = await reader.run('get', link, `--password=${secrets.password}`)
  t.equal(got.code, 0, got.err)
  t.same(readdirSync(join(reader.files, secrets.folder)).sort(), [`${secrets.name}.jpg`, 'large.txt'])
  for (const { name, payload } of queue.jobs) {
    if (name === 'send-mail') await sendMail(ctx, payload as Jobs['send-mail'])
    if (name === 'make-previews') await makePreviews(ctx, payload as Jobs['make-previews'], new AbortController().signal)
  }
  t.equal(mails.received.length, 1)

  const key = link.split('#k=')[1]!
  const texts = [...Object.values(secrets), 'canary', key]
  const bytes = [...texts.map((text) => Buffer.from(text)), Buffer.from(key, 'base64url')]
  const places = {
    log: Buffer.from(lines.join('\n')),
    database: Buffer.from(await database()),
    store: await store(),
    mails: Buffer.from(JSON.stringify(mails.received)),
    jobs: Buffer.from(JSON.stringify(queue.jobs)),
    metrics: (await app.inject({ url: '/metrics', headers: { authorization: `Bearer ${metricsToken}` } })).rawPayload,
    page: (await app.inject({ url: new URL(link).pathname, headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0' } })).rawPayload,
  }
  t.ok(places.database.includes('bob@example.com') && places.log.includes('/api/shares') && places.store.length > 2_000_000)
  for (const [place, content] of Object.entries(places)) {
    t.ok(content.length > 0, place)
    for (const secret of bytes) {
      for (const form of [secret, Buffer.from(secret.toString('hex')), Buffer.from(secret.toString('base64').slice(0, -4))]) {
        if (content.includes(form)) t.fail(`${secret} is in the ${place}`)
      }
    }
  }
})
