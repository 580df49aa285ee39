import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { isolationOf } from '../../worker/previews/isolation.ts'
import type { Programs } from '../../worker/previews/programs.ts'
import { ProgramFailed, runLimited } from '../../worker/previews/sandbox.ts'
import { inWorkFolder, workFolder } from '../../worker/previews/work-folder.ts'
import { unlessRuns } from '../support/server-program.ts'

const folder = await mkdtemp(join(tmpdir(), 'razorbill-sandbox-'))
t.teardown(() => rm(folder, { recursive: true }))
const isolation = await isolationOf('/usr/bin/bwrap', '/usr/bin/env', folder)
const python = { skip: unlessRuns('python3', '--version') }

/** Runs a shell command in place of a program. */
function shell(command: string, { seconds = 10, signal = new AbortController().signal, isolated = false } = {}): Promise<string> {
  const programs: Programs = { kinds: [], paths: { ffmpeg: '/bin/sh' }, isolation: isolated && isolation ? isolation : () => [] }
  return runLimited(programs, 'ffmpeg', ['-c', command], { folder, seconds, signal })
}

t.test('gives programs no variable of the worker', async (t) => {
  process.env.SECRET_KEY = 'not for others'
  const names = (await shell('env')).split('\n').map((line) => line.split('=')[0])
  delete process.env.SECRET_KEY
  t.notOk(names.includes('SECRET_KEY'))
  t.ok(names.includes('VIPS_BLOCK_UNTRUSTED'))
})

t.test('kills a program and its children that take too long', async (t) => {
  const startedAt = performance.now()
  await t.rejects(shell('sleep 50 & echo $! >pid; wait', { seconds: 0.5 }), new ProgramFailed('ffmpeg took more than 0.5 seconds'))
  t.ok(performance.now() - startedAt < 5_000)
  const pid = Number(await readFile(join(folder, 'pid'), 'utf8'))
  await new Promise((resolve) => setTimeout(resolve, 100))
  const state = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ') X')
  t.match(state, /\) [ZX]/, 'the child has ended')
})

t.test('stops a program when the worker stops', async (t) => {
  const stopping = new AbortController()
  const running = shell('sleep 50', { signal: stopping.signal })
  setTimeout(() => stopping.abort(new Error('the worker stops')), 100)
  await t.rejects(running, { message: 'the worker stops' })
})

t.test('limits the memory, the CPU time and the files of a program', python, async (t) => {
  await t.rejects(shell('python3 -c "bytearray(2 << 30)"'), /MemoryError/)
  await t.rejects(shell('ulimit -t; while :; do :; done', { seconds: 1 }), { message: /Killed|XCPU|CPU time|more than 1 seconds/ })
  await t.rejects(shell('head -c 300000000 /dev/zero >large'), { message: /File size limit exceeded/ })
  await rm(join(folder, 'large'))
})

t.test('keeps only the first output of a program, and reports the last line of its errors', async (t) => {
  t.equal((await shell('head -c 1000000 /dev/zero')).length, 65_536)
  await t.rejects(shell('echo first >&2; echo last >&2; exit 3'), { message: 'ffmpeg failed: last' })
})

t.test(
  'hides the network, other processes and other files from programs',
  { skip: isolation ? false : 'bubblewrap can not run here' },
  async (t) => {
    await writeFile(join(folder, 'input'), 'the input')
    t.equal(await shell('cat input', { isolated: true }), 'the input')
    await shell('echo output >output', { isolated: true })
    t.equal(await readFile(join(folder, 'output'), 'utf8'), 'output\n')
    await t.rejects(shell(`cat ${import.meta.filename}`, { isolated: true }), /No such file/)
    await t.rejects(shell('echo x >/usr/x', { isolated: true }), /Read-only/)
    t.equal((await shell('ls /proc | grep -c "^[0-9]"', { isolated: true })).trim().length, 1, 'a few processes of its own')
    t.same(
      (await shell('ls /sys/class/net 2>/dev/null || grep -c : /proc/net/dev', { isolated: true })).trim(),
      '1',
      'only the loopback interface',
    )
  },
)

t.test('deletes its folder at the end, and those that dead processes have left', async (t) => {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  const left = [
    'of-another-host.1.x',
    `${hostname().replace(/[^a-z0-9-]/gi, '')}.999999999.x`,
    `${hostname().replace(/[^a-z0-9-]/gi, '')}.${process.ppid}.x`,
    'elsewhere.7.x',
  ]
  for (const name of left) await mkdir(join(workFolder(dataDir), name), { recursive: true })
  const longAgo = new Date(Date.now() - 3_600_000)
  await utimes(join(workFolder(dataDir), 'elsewhere.7.x'), longAgo, longAgo)
  await t.rejects(
    inWorkFolder(dataDir, async (path) => {
      await writeFile(join(path, 'input'), 'x')
      t.equal((await readdir(workFolder(dataDir))).length, 3)
      throw new Error('a failure')
    }),
    { message: 'a failure' },
  )
  t.same((await readdir(workFolder(dataDir))).sort(), [left[0], left[2]].sort(), 'those of living processes stay')
})
