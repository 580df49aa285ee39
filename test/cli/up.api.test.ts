import { mkdirSync, readdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../support/app/worker.ts'
import { installation, Machine } from '../support/command.ts'
import { set, sharing } from '../support/sharing.ts'

const MiB = 1_048_576
/** The parts that arrived whole, and their limit. The others wait. */
const parts = { came: [] as string[], allowed: Number.POSITIVE_INFINITY, active: 0 }

const { app, ctx, url, alice, token } = await installation(t, (app) => {
  app.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'PUT') return
    parts.active++
    reply.raw.once('close', () => parts.active--)
    await eventually(() => parts.allowed-- > 0, 'the part may come')
  })
  app.addHook('onResponse', async (request, reply) => {
    if (request.method === 'PUT' && reply.statusCode === 200) parts.came.push(request.url)
  })
})
t.beforeEach(() => {
  parts.came = []
  parts.allowed = Number.POSITIVE_INFINITY
})

function machine(t: Parameters<typeof installation>[0]): Machine {
  const own = new Machine(t)
  own.env = { RAZORBILL_URL: url, RAZORBILL_TOKEN: token }
  return own
}

/**
 * The number of parts that the server has from a killed command, once no request is in progress.
 */
async function arrived(): Promise<number> {
  parts.allowed = Number.POSITIVE_INFINITY
  await eventually(() => parts.active === 0, 'no part is under way')
  parts.came = []
  const files = await ctx.db.selectFrom('file').selectAll().where('published', '=', false).execute()
  const counts = files.map(async ({ id, completedAt, partCount }) => {
    if (completedAt) return partCount // its ledger is deleted
    return (await ctx.db.selectFrom('filePart').select('number').where('fileId', '=', id).execute()).length
  })
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

const bytesOf = (length: number, seed = 1) => Buffer.from(Uint8Array.from({ length }, (_, index) => (index * seed + (index >> 8)) & 255))
const pageOf = async (id: string) => (await sharing(app, alice).call('GET', `/${id}/from-owner`)).json()
const contentOf = async (id: string, name: string) => {
  const { files } = await pageOf(id)
  const file = files.find((one: { name: string }) => one.name === name)
  return (await sharing(app, alice).call('GET', `/${id}/files/${file.id}`)).rawPayload
}
const idIn = (link: string) => link.trim().split('/').at(-1)!
const stopped = (own: Machine) => readdirSync(join(own.folder, '.local/state/razorbill/uploads')).filter((name) => !name.endsWith('.lock'))

t.test('uploads files and folders with all options, and prints only the link to standard output', async (t) => {
  const own = machine(t)
  mkdirSync(join(own.files, 'photos/summer'), { recursive: true })
  writeFileSync(join(own.files, 'photos/summer/ünter weg.jpg'), bytesOf(1000))
  writeFileSync(join(own.files, 'photos/empty'), '')
  writeFileSync(join(own.files, 'a.txt'), 'hello')
  symlinkSync('..', join(own.files, 'photos/circle'))
  const words = [
    '--name',
    'Trip',
    '--description',
    'All of it',
    '--expires',
    '2d',
    '--password=secret!',
    '--max-views',
    '3',
    '--id',
    'trip_1',
  ]
  const { code, out, err } = await own.run('up', 'photos', 'a.txt', ...words)
  t.equal(code, 0, err)
  t.match(out, /^http\S+\/share\/trip_1\n$/)
  t.match(err, /Left out: \S+photos\/circle/)
  const page = await pageOf('trip_1')
  t.match(page, { name: 'Trip', description: 'All of it', hasPassword: true, maxViews: 3, completed: true })
  t.same(page.files.map(({ name }: { name: string }) => name).sort(), ['a.txt', 'photos/empty', 'photos/summer/ünter weg.jpg'])
  t.same(await contentOf('trip_1', 'photos/summer/ünter weg.jpg'), bytesOf(1000))
  const days = (Date.parse(page.expiration) - Date.now()) / 86_400_000
  t.ok(days > 1.9 && days <= 2)
  t.same(stopped(own), [], 'no upload is left to resume')
})

t.test('takes a file once that is named twice, and numbers another one with its name', async (t) => {
  const own = machine(t)
  mkdirSync(join(own.files, 'b'))
  writeFileSync(join(own.files, 'a.txt'), 'one')
  writeFileSync(join(own.files, 'b/a.txt'), 'two')
  const { code, err } = await own.run('up', 'a.txt', './a.txt', 'b/a.txt', '--id', 'twice')
  t.equal(code, 0, err)
  const { files } = await pageOf('twice')
  t.same(files.map(({ name }: { name: string }) => name).sort(), ['a (1).txt', 'a.txt'])
  t.same(String(await contentOf('twice', 'a (1).txt')), 'two')
})

t.test('uploads standard input as a file, and reports the full result with --json', async (t) => {
  const own = machine(t)
  const { code, out, err } = await own.start(['up', '-', '--stdin-name', 'dump.sql', '--json'], 'select 1').ended
  t.equal(code, 0, err)
  t.equal(err, '')
  const { id, link, size, files, expiration } = JSON.parse(out)
  t.same([link.endsWith(`/share/${id}`), size, files], [true, 8, [{ name: 'dump.sql', size: 8 }]])
  t.ok(Date.parse(expiration) > Date.now())
  t.equal(String(await contentOf(id, 'dump.sql')), 'select 1')
  t.same(stopped(own), [])
})

t.test('uploads only the missing parts when the same command runs after a kill', async (t) => {
  const own = machine(t)
  const content = Buffer.concat(Array.from({ length: 5 }, (_, index) => Buffer.alloc(8 * MiB, index + 1)))
  writeFileSync(join(own.files, 'big'), content)
  writeFileSync(join(own.files, 'small'), Buffer.alloc(8 * MiB, 6))
  parts.allowed = 3
  const first = own.start(['up', 'big', 'small'])
  await eventually(() => parts.came.length === 3, 'three parts arrive')
  first.child.kill('SIGKILL')
  t.equal((await first.ended).code, null)
  const before = await arrived()
  t.ok(before >= 3 && before < 6, `${before} had arrived`)
  const { code, out, err } = await own.run('up', 'big', 'small')
  t.equal(code, 0, err)
  t.match(err, /Continuing /)
  t.equal(parts.came.length, 6 - before, 'each missing part arrived once, and no other')
  t.same(await contentOf(idIn(out), 'big'), content)
  t.same(await contentOf(idIn(out), 'small'), Buffer.alloc(8 * MiB, 6))
  t.same(stopped(own), [])
})

t.test('explains on Ctrl-C how to resume, and `resume` does so', async (t) => {
  const own = machine(t)
  parts.allowed = 1
  const first = own.start(['up', '-'], 'x'.repeat(17 * MiB))
  await eventually(() => parts.came.length === 1, 'a part arrives')
  first.child.kill('SIGINT')
  const output = await first.ended
  t.equal(output.code, 130)
  t.match(output.err, /Interrupted. Continue with: razorbill resume/)
  parts.allowed = Number.POSITIVE_INFINITY
  const { code, out, err } = await own.run('resume')
  t.equal(code, 0, err)
  t.equal((await contentOf(idIn(out), 'stdin')).length, 17 * MiB)
  t.same(stopped(own), [])
  t.match(await own.run('resume'), { code: 0, out: '', err: /No upload was stopped/ })
})

t.test('uploads a changed file again and skips an incomplete file that no longer exists', async (t) => {
  const own = machine(t)
  mkdirSync(join(own.files, 'd'))
  for (const name of ['a', 'b', 'c']) writeFileSync(join(own.files, 'd', name), Buffer.alloc(9 * MiB, name))
  parts.allowed = 2
  const first = own.start(['up', 'd'])
  await eventually(() => parts.came.length === 2, 'two parts arrive')
  first.child.kill('SIGKILL')
  await first.ended
  writeFileSync(join(own.files, 'd/a'), 'new')
  utimesSync(join(own.files, 'd/a'), 1, 1)
  parts.allowed = Number.POSITIVE_INFINITY
  const { code, out, err } = await own.run('up', 'd')
  t.equal(code, 0, err)
  t.match(err, /d\/a has changed or was deleted/)
  const { files } = await pageOf(idIn(out))
  t.same(files.map(({ name, size }: { name: string; size: string }) => [name, size]).sort(), [
    ['d/a', '3'],
    ['d/b', String(9 * MiB)],
    ['d/c', String(9 * MiB)],
  ])
  t.equal(String(await contentOf(idIn(out), 'd/a')), 'new')
})

t.test('stops when a file changes during its upload, and resumes with the new content', async (t) => {
  const own = machine(t)
  writeFileSync(join(own.files, 'log'), Buffer.alloc(20 * MiB, 1))
  parts.allowed = 1
  const first = own.start(['up', 'log'])
  await eventually(() => parts.came.length === 1, 'a part arrives')
  truncateSync(join(own.files, 'log'), 10)
  parts.allowed = Number.POSITIVE_INFINITY
  const output = await first.ended
  t.match(output, { code: 1, out: '', err: /cannot be read, or has changed.*\(log\) Continue with: razorbill resume/s })
  const again = await own.run('resume')
  t.equal(again.code, 0, again.err)
  t.equal((await contentOf(idIn(again.out), 'log')).length, 10)
})

t.test('discards a stopped upload, and handles one that no longer exists', async (t) => {
  const own = machine(t)
  writeFileSync(join(own.files, 'big'), Buffer.alloc(9 * MiB))
  const stop = async () => {
    parts.allowed = 1
    const came = parts.came.length
    const running = own.start(['up', 'big', '--json'])
    await eventually(() => parts.came.length === came + 1, 'a part arrives')
    running.child.kill('SIGTERM')
    t.match(JSON.parse((await running.ended).err), { error: 'interrupted', exitCode: 130 })
    parts.allowed = Number.POSITIVE_INFINITY
    return stopped(own)[0]!.replace(/^.*-|\.upload$/g, '')
  }
  const id = await stop()
  t.match(await own.run('resume', 'another1'), { code: 4, err: /No upload to another1 was stopped here/ })
  t.match(await own.run('resume', id, '--discard'), { code: 0, err: /Discarded/ })
  t.equal((await sharing(app, alice).call('GET', `/${id}/from-owner`)).statusCode, 404)
  t.same(stopped(own), [])
  const gone = await stop()
  await sharing(app, alice).call('DELETE', `/${gone}`)
  t.match(await own.run('resume'), { code: 4, err: /no longer exists/ })
  t.same(stopped(own), [])
})

t.test('reports what the server refuses, and keeps no state for an upload that cannot succeed', async (t) => {
  const own = machine(t)
  await set(ctx, 'share.maxSize', 100)
  writeFileSync(join(own.files, 'a'), Buffer.alloc(1000))
  t.match(await own.run('up', 'a'), { code: 1, out: '', err: /exceed the size limit of a share/ })
  t.same(stopped(own), [])
  await set(ctx, 'share.maxSize', 1_000_000_000)
  t.match(await own.run('up', 'a', '--id', 'trip_1'), { code: 1, err: /already in use/ })
  const failed = await own.run('up', 'a', '--id', 'trip_1', '--json')
  t.match(JSON.parse(failed.err), { error: 'share_id_taken', exitCode: 1 })
  own.env = { RAZORBILL_URL: url }
  t.match(await own.run('up', 'a'), { code: 3, err: /Sign in to share files/ })
  own.env = { RAZORBILL_URL: url, RAZORBILL_TOKEN: 'rzb_wrong' }
  t.match(await own.run('up', 'a'), { code: 3 })
  own.env = { RAZORBILL_URL: 'http://127.0.0.1:9' }
  t.match(await own.run('up', 'a'), { code: 7, err: /cannot be reached/ })
})

t.test('uploads without an account where the server allows it', async (t) => {
  const own = machine(t)
  await set(ctx, 'share.allowUnauthenticatedShares', true)
  own.env = { RAZORBILL_URL: url }
  writeFileSync(join(own.files, 'big'), Buffer.alloc(9 * MiB))
  parts.allowed = 1
  const first = own.start(['up', 'big'])
  await eventually(() => parts.came.length === 1, 'a part arrives')
  first.child.kill('SIGKILL')
  await first.ended
  const before = await arrived()
  const { code, out, err } = await own.run('up', 'big')
  t.equal(code, 0, err)
  t.equal(parts.came.length, 2 - before)
  t.equal((await sharing(app).call('POST', `/${idIn(out)}/token`, {})).statusCode, 200)
})

t.test('exits with 2 for wrong usage and 4 for missing files or shares', async (t) => {
  const own = machine(t)
  writeFileSync(join(own.files, 'a'), 'a')
  mkdirSync(join(own.files, 'nothing'))
  for (const words of [
    [],
    ['fly'],
    ['up'],
    ['up', 'nothing'],
    ['up', 'a', '--fast'],
    ['up', 'a', '--expires', 'soon'],
    ['up', 'a', '--max-views', '0'],
    ['get'],
    ['get', 'a b'],
    ['ls', 'all'],
    ['rm'],
  ]) {
    t.match(await own.run(...words), { code: 2, out: '', err: /^razorbill: / }, words.join(' '))
  }
  t.match(await own.run('up', 'missing'), { code: 4, err: /\S+missing does not exist/ })
})
