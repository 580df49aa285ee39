import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { serverUrl } from '../../cli/account.ts'
import { DiskFile } from '../../cli/file-slice.ts'
import { hold } from '../../cli/hold.ts'
import { readLink } from '../../cli/link.ts'
import { hasOption, readOptions } from '../../cli/options.ts'
import { progressLine } from '../../cli/progress.ts'
import { StateFile } from '../../cli/state-file.ts'
import { expirationOf, plain, sizeText, timeText } from '../../cli/texts.ts'

const folder = mkdtempSync(join(tmpdir(), 'razorbill-pieces-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/** The error message for invalid words. */
const usage = { ending: 'usage' } as unknown as Error

t.test('reads a state file of an ended process, even with a truncated line', async (t) => {
  const path = join(folder, 'deep/state')
  const state = new StateFile(path)
  state.setItem('a', '1')
  state.setItem('b', '2')
  state.setItem('a', '3')
  state.removeItem('b')
  t.equal(statSync(path).mode & 0o777, 0o600)
  appendFileSync(path, '\n["c","4')
  const again = new StateFile(path)
  t.same([again.length, again.key(0), again.getItem('a'), again.getItem('b'), again.getItem('c')], [1, 'a', '3', null, null])
  again.setItem('d', '5')
  t.equal(new StateFile(path).getItem('d'), '5', 'entries after the truncated line count')
  again.removeItem('d')
  again.removeItem('a')
  t.notOk(existsSync(path), 'the file is deleted with its last key')
})

t.test('allows one process at a time per transfer, and ignores the lock of a dead process', async (t) => {
  const path = join(folder, 'transfer')
  const release = hold(path)
  t.ok(release)
  t.equal(hold(path), null)
  release?.()
  t.notOk(existsSync(`${path}.lock`))
  writeFileSync(`${path}.lock`, '999999999')
  hold(path)?.()
  writeFileSync(`${path}.lock`, String(process.pid))
  utimesSync(`${path}.lock`, new Date(0), new Date(Date.now() - 60_000))
  const taken = hold(path)
  t.ok(taken, 'a process id reused by another process')
  t.equal(readFileSync(`${path}.lock`, 'utf8'), String(process.pid))
  taken?.()
})

t.test('reads slices of a file, and fails when the file has changed', async (t) => {
  const path = join(folder, 'file')
  const bytes = Buffer.from(Uint8Array.from({ length: 300_000 }, (_, index) => index % 251))
  writeFileSync(path, bytes)
  const { size, mtimeMs } = statSync(path)
  const file = new DiskFile('file', path, { size, lastModified: mtimeMs })
  const part = file.slice(100_000, 250_000)
  t.equal(part.size, 150_000)
  t.ok(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100_000, 250_000)))
  t.ok(Buffer.from(await part.slice(0, 1).arrayBuffer()).equals(bytes.subarray(100_000, 100_001)))
  t.equal((await file.slice(0, 0).arrayBuffer()).byteLength, 0)
  utimesSync(path, 1, 1)
  await t.rejects(part.arrayBuffer(), /has changed/)
})

t.test('parses links, addresses and durations', async (t) => {
  const base = () => 'https://own.example'
  t.same(readLink('https://a.example/share/x-1?y#z', base), { url: 'https://a.example', id: 'x-1' })
  t.same(readLink('http://a.example:3000/files/s/x_1/', base), { url: 'http://a.example:3000/files', id: 'x_1' })
  t.same(readLink('abc', base), { url: 'https://own.example', id: 'abc' })
  for (const wrong of ['', 'a/b', 'ftp://a.example/share/x', 'https://a.example/share/', 'https://a.example/other/x']) {
    t.throws(() => readLink(wrong, base), usage, wrong)
  }
  t.equal(serverUrl('localhost:3000/'), 'http://localhost:3000')
  t.equal(serverUrl('files.example.org'), 'https://files.example.org')
  t.throws(() => serverUrl('file:///etc'), usage)
  t.same(['7d', '12h', '30min', '5m', '2w', '1mo', '1y', 'never', '3-weeks'].map(expirationOf), [
    ...['7-days', '12-hours', '30-minutes', '5-minutes', '2-weeks', '1-months', '1-years', 'never', '3-weeks'],
  ])
  for (const wrong of ['', '7', 'd', '7x', '-1d', '1.5h']) t.throws(() => expirationOf(wrong), usage, wrong)
})

t.test('parses command words; a bare --password prompts and consumes no argument', async (t) => {
  t.same(readOptions('up', ['--password', 'a']), { values: { password: '' }, positionals: ['a'] })
  t.throws(() => readOptions('rm', ['-yh', 'a']), { message: /-h/ }, 'a request for help deletes nothing')
  t.same(readOptions('up', ['--password=x', '-', '--to', 'a@b.c', '--to=d@e.f', '--', '--password']).values, {
    password: 'x',
    to: ['a@b.c', 'd@e.f'],
  })
  t.same(readOptions('up', ['--', '--json', '--password']).positionals, ['--json', '--password'])
  t.notOk(hasOption(['up', '--', '--json'], '--json'))
  t.throws(() => readOptions('ls', ['--force']), usage)
})

t.test('formats values for display', async (t) => {
  t.same([0, 999, 1000, 1_500_000, 2e12].map(sizeText), ['0 B', '999 B', '1.0 kB', '1.5 MB', '2.0 TB'])
  t.same([0, 61, 3700].map(timeText), ['0 s', '1 min 01 s', '1 h 01 min'])
  t.equal(plain('a\u001b[31m\nb'), 'a?[31m?b')
  const half = { done: 500, total: 1000, speed: 100, timeLeft: 5 }
  t.equal(progressLine(half, 100), '[############------------]  50.0 %  500 B of 1.0 kB  100 B/s  5 s left')
  t.equal(progressLine(half, 30), ' 50.0 %  500 B of 1.0 kB  100', 'a small terminal shows what fits')
  t.equal(progressLine({ ...half, done: 1000, more: 'finishing' }, 100), '[########################] 100.0 %  1.0 kB of 1.0 kB  finishing')
  t.match(progressLine({ done: 0, total: 0, speed: null, timeLeft: null }, 100), /100\.0 %/)
})
