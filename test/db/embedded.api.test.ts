import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { accountFor, canReach } from '../../src/db/embedded/account.ts'
import { findBinaries } from '../../src/db/embedded/binaries.ts'
import { isAlive } from '../../src/db/embedded/postmaster.ts'
import type { Socket } from '../../src/db/embedded.ts'
import { StartError } from '../../src/errors.ts'
import { lockDataDir } from '../../src/process/data-dir.ts'
import { end, folder, postmasterOf, program, query, refusal, run, start } from '../support/app/embedded-process.ts'

const root = process.getuid!() === 0
const ordinary = { uid: 65534, gid: 65534 }
const openToAll =
  canReach(ordinary, dirname(program)) && canReach(ordinary, process.execPath) && canReach(ordinary, findBinaries().postgres)
const needsOpenProject = root && !openToAll ? 'other users may not enter the project folder' : false
const preloaded = spawnSync('true', { env: { PATH: process.env.PATH, LD_PRELOAD: 'libnss_wrapper.so' }, encoding: 'utf8' })
const noNssWrapper = preloaded.stderr === '' ? false : 'nss_wrapper is not installed: apt-get install libnss-wrapper'

t.setTimeout(180_000)

async function notes(connection: Socket): Promise<string[]> {
  return (await query<{ note: string }>(connection, 'select note from notes order by note')).map(({ note }) => note)
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10)
}

/**
 * A copy of a data folder that was created and stopped before, which is faster than creating one.
 */
async function madeFolder(t: Test): Promise<string> {
  if (!existsSync(made)) await end(await start(t, made), 'SIGTERM')
  const dataDir = folder(t)
  execFileSync('cp', ['-a', made, dataDir])
  return dataDir
}

const made = folder(t)

t.test('keeps the data after every kind of exit', async (t) => {
  const dataDir = folder(t)
  const first = await start(t, dataDir, { durable: true })
  await query(first.connection, "create table notes (note text); insert into notes values ('fresh')")
  t.match(await query(first.connection, 'show listen_addresses'), [{ listen_addresses: '' }], 'listens on no network')
  t.equal(statSync(first.connection.host).mode & 0o777, 0o700, 'no other user may enter the socket folder')
  t.equal(
    await refusal(t, dataDir),
    `Another Razorbill (process ${first.child.pid}) is already using ${dataDir}. Stop it first, or set DATA_DIR to another folder.`,
  )
  await query(first.connection, "insert into notes values ('second refused')")

  const postmaster = postmasterOf(dataDir)
  await end(first, 'SIGTERM')
  t.notOk(isAlive(postmaster), 'PostgreSQL ended before the process')
  t.notOk(existsSync(join(dataDir, 'postgres', 'postmaster.pid')), 'it ended cleanly')
  t.notOk(existsSync(first.connection.host), 'the socket folder is deleted')

  const afterStop = await start(t, dataDir)
  await query(afterStop.connection, "insert into notes values ('stopped')")
  await end(afterStop, 'SIGKILL')
  const afterKill = await start(t, dataDir)
  await query(afterKill.connection, "insert into notes values ('killed')")

  const server = postmasterOf(dataDir)
  process.kill(afterKill.child.pid!, 'SIGSTOP')
  process.kill(server, 'SIGKILL')
  await end(afterKill, 'SIGKILL')
  t.ok(existsSync(join(dataDir, 'postgres', 'postmaster.pid')), 'PostgreSQL had no time to clean up')
  const afterPowerCut = await start(t, dataDir)
  t.same(await notes(afterPowerCut.connection), ['fresh', 'killed', 'second refused', 'stopped'])
})

t.test('restarts a server that exits, on the same socket', async (t) => {
  const dataDir = await madeFolder(t)
  const { connection } = await start(t, dataDir)
  const before = postmasterOf(dataDir)
  process.kill(before, 'SIGKILL')
  await until(() =>
    query(connection, 'select').then(
      () => postmasterOf(dataDir) !== before,
      () => false,
    ),
  )
  t.not(postmasterOf(dataDir), before)
})

t.test('starts when another process has reused the process id', async (t) => {
  const dataDir = await madeFolder(t)
  const running = await start(t, dataDir)
  const server = postmasterOf(dataDir)
  const { uid, gid } = statSync(join(dataDir, 'postgres'))
  process.kill(running.child.pid!, 'SIGSTOP')
  process.kill(server, 'SIGKILL')
  await end(running, 'SIGKILL')
  const unrelated = spawn('sleep', ['600'], root ? { uid, gid } : {})
  t.teardown(() => unrelated.kill('SIGKILL'))
  await once(unrelated, 'spawn')
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
  writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(String(server), String(unrelated.pid)))
  t.match(await query((await start(t, dataDir)).connection, 'select 1 as one'), [{ one: 1 }])
  t.ok(isAlive(unrelated.pid!))
})

t.test('takes over a server that a kill left running where setpriv is missing', { skip: needsOpenProject }, async (t) => {
  const dataDir = await madeFolder(t)
  chmodSync(dirname(dataDir), 0o711)
  const env = { ...process.env, PATH: dirname(process.execPath) }
  const first = await start(t, dataDir, { env })
  const server = postmasterOf(dataDir)
  await end(first, 'SIGKILL')
  t.ok(isAlive(server), 'no signal stopped it')
  const second = await start(t, dataDir, { env })
  t.equal(postmasterOf(dataDir), server)
  t.match(await query(second.connection, 'select 1 as one'), [{ one: 1 }])
  await end(second, 'SIGTERM')
  t.notOk(isAlive(server), 'the process that took it over stops it')
})

t.test('starts after a kill during the creation of the data folder', async (t) => {
  const dataDir = folder(t)
  const child = run(t, dataDir)
  await until(() => existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('postgres.init-')))
  child.kill('SIGKILL')
  await once(child, 'exit')
  t.notOk(existsSync(join(dataDir, 'postgres')))
  await start(t, dataDir)
  t.strictSame(
    readdirSync(dataDir).filter((name) => name.startsWith('postgres')),
    ['postgres'],
  )
})

t.test('runs as the ordinary user who starts it', { skip: needsOpenProject }, async (t) => {
  const dataDir = folder(t)
  const uid = root ? ordinary.uid : undefined
  if (uid) chownSync(dirname(dataDir), uid, uid)
  const first = await start(t, dataDir, { uid })
  t.equal(statSync(join(dataDir, 'postgres')).uid, uid ?? process.getuid!())
  await end(first, 'SIGKILL')
  const second = await start(t, dataDir, { uid })
  t.match(await query(second.connection, 'select 1 as one'), [{ one: 1 }])
})

t.test('runs under a user id without a name', { skip: !root ? 'needs root' : needsOpenProject || noNssWrapper }, async (t) => {
  const dataDir = folder(t)
  chownSync(dirname(dataDir), 12_345, 0)
  await end(await start(t, dataDir, { uid: 12_345 }), 'SIGTERM')
  const { connection } = await start(t, dataDir, { uid: 12_345 })
  t.match(await query(connection, 'select current_user as name'), [{ name: 'razorbill' }])
})

t.test(
  'runs as the data folder’s owner when started by root, and repairs permissions broken by a copy',
  { skip: !root && 'needs root' },
  async (t) => {
    const dataDir = await madeFolder(t)
    const first = await start(t, dataDir)
    const cluster = join(dataDir, 'postgres')
    const { uid } = statSync(cluster)
    t.equal(uid, accountFor(cluster).uid)
    t.not(uid, 0)
    await end(first, 'SIGTERM')
    chmodSync(cluster, 0o755)
    await end(await start(t, dataDir), 'SIGTERM')
    t.equal(statSync(cluster).mode & 0o777, 0o700)
    for (const path of ['', 'PG_VERSION', 'base']) chownSync(join(cluster, path), 0, 0)
    await start(t, dataDir)
    t.equal(statSync(join(cluster, 'base')).uid, statSync(cluster).uid)
    t.not(statSync(cluster).uid, 0)
  },
)

t.test('refuses an unusable folder with a readable message', async (t) => {
  const dataDir = await madeFolder(t)
  await end(await start(t, dataDir), 'SIGTERM')
  writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '13\n')
  t.match(await refusal(t, dataDir), `${dataDir}/postgres was created by PostgreSQL 13, and this Razorbill contains PostgreSQL 18.`)
  rmSync(join(dataDir, 'postgres', 'PG_VERSION'))
  t.match(await refusal(t, dataDir), /holds files, but not those of a PostgreSQL data folder/)
  t.throws(() => findBinaries('sunos-sparc'), /no embedded PostgreSQL for sunos-sparc/)
  t.throws(() => lockDataDir(join(dataDir, 'razorbill.lock')), /Cannot create the data folder .*Set DATA_DIR/)
})

t.test('releases the lock on the data folder when its holder ends or releases it', async (t) => {
  const dataDir = folder(t)
  const lock = lockDataDir(dataDir)
  t.throws(
    () => lockDataDir(dataDir),
    new StartError(
      `Another Razorbill (process ${process.pid}) is already using ${dataDir}. Stop it first, or set DATA_DIR to another folder.`,
    ),
  )
  lock.release()
  lock.release()
  lockDataDir(dataDir).release()
})
