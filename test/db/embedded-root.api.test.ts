import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { accountFor, canReach } from '../../src/db/embedded/account.ts'
import { binariesIn, findBinaries } from '../../src/db/embedded/binaries.ts'
import { launch } from '../../src/db/embedded/launch.ts'
import { isAlive } from '../../src/db/embedded/postmaster.ts'
import { programsFor } from '../../src/db/embedded/programs.ts'
import { makeSocketDir, socketDirOf } from '../../src/db/embedded/socket-dir.ts'
import { StartError } from '../../src/errors.ts'
import { end, folder, postmasterOf, query, run, start } from '../support/app/embedded-process.ts'

const native = findBinaries().native
const nobody = { uid: 65534, gid: 65534 }
const skip =
  process.getuid!() !== 0 || process.platform !== 'linux'
    ? 'needs root on Linux'
    : canReach(nobody, native)
      ? false
      : 'node_modules is closed'

t.setTimeout(240_000)

const asNobody = ['--reuid=65534', '--regid=65534', '--clear-groups', '--']
const foreignQuery = `import pg from '${import.meta.resolve('pg')}'
const client = new pg.Client({ host: process.argv[1], port: 5432, user: process.argv[2], database: 'postgres' })
await client.connect().then(() => console.log('connected'), (error) => console.log(error.message))
process.exit()`

function connectAsNobody(host: string, user: string): string {
  const { stdout } = spawnSync('setpriv', [...asNobody, process.execPath, '--input-type=module', '-e', foreignQuery, host, user], {
    encoding: 'utf8',
    cwd: '/',
  })
  return stdout.trim()
}

t.test('runs PostgreSQL without privileges in a closed folder, unusable by other users', { skip }, async (t) => {
  const dataDir = folder(t)
  const secret = join(dirname(dataDir), 'secret')
  writeFileSync(secret, 'only root reads this', { mode: 0o600 })
  t.equal(statSync(dirname(dataDir)).mode & 0o777, 0o700, 'the folder is closed')
  const { connection } = await start(t, dataDir)
  const status = readFileSync(`/proc/${postmasterOf(dataDir)}/status`, 'utf8')
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) t.match(status, new RegExp(`${set}:\\s+0{16}\\n`))
  t.match(status, /NoNewPrivs:\s+1\n/)
  const { uid } = statSync(join(dataDir, 'postgres'))
  t.notMatch(readFileSync('/etc/passwd', 'utf8'), new RegExp(`^[^:]*:[^:]*:${uid}:`, 'm'), 'no other program has this user id')
  t.match(status, new RegExp(`Uid:\\s+${uid}\\s+${uid}\\s+${uid}\\s+${uid}\\n`))

  t.match(await query(connection, 'select rolsuper from pg_roles where rolname = current_user'), [{ rolsuper: false }])
  const program = `create temp table stolen (line text); copy stolen from program 'cat ${secret}'; select * from stolen`
  await t.rejects(query(connection, program), /permission denied to COPY to or from an external program/)
  await t.rejects(query({ ...connection, user: 'app' }, program), /program "cat .*" failed/, 'not even as superuser')

  t.match(connectAsNobody(connection.host, 'app'), /EACCES/)
  chmodSync(connection.host, 0o755)
  chmodSync(join(connection.host, '.s.PGSQL.5432'), 0o777)
  for (const user of ['app', 'razorbill']) t.match(connectAsNobody(connection.host, user), /[Pp]eer authentication failed/, user)
})

/**
 * A folder of an earlier version: owned by `nobody`, open to every local user, with everything
 * created by the superuser `app`.
 */
async function oldFolder(t: Test, { running = false } = {}): Promise<string> {
  const dataDir = folder(t)
  chmodSync(dirname(dataDir), 0o711)
  const cluster = join(dataDir, 'postgres')
  mkdirSync(cluster, { recursive: true })
  chownSync(cluster, nobody.uid, nobody.gid)
  const how = { ...nobody, other: true, cluster, onParentDeath: null }
  const initdb = launch(join(native, 'bin/initdb'), ['-D', cluster, '-U', 'app', '--auth-local=trust', '--no-sync'], how, 'ignore')
  await once(initdb, 'exit')
  const sockets = mkdtempSync('/tmp/razorbill-old-')
  t.teardown(() => rmSync(sockets, { recursive: true, force: true }))
  chownSync(sockets, nobody.uid, nobody.gid)
  const server = launch(join(native, 'bin/postgres'), ['-D', cluster, '-k', sockets, '-c', 'listen_addresses='], how, 'ignore')
  t.teardown(() => server.exitCode === null && server.kill('SIGKILL'))
  const pidFile = join(cluster, 'postmaster.pid')
  while (!existsSync(pidFile) || !readFileSync(pidFile, 'utf8').includes('ready')) await sleep(20)
  const socket = { host: sockets, port: 5432, user: 'app' }
  await query({ ...socket, database: 'postgres' }, 'create database razorbill')
  await query({ ...socket, database: 'razorbill' }, oldObjects)
  if (running) return dataDir
  server.kill('SIGINT')
  await once(server, 'exit')
  return dataDir
}

const oldObjects = `create table notes (id bigserial primary key, at bigint generated always as identity, note text unique);
  insert into notes (note) values ('kept');
  create schema jobs;
  create type jobs.state as enum ('new', 'done');
  create table jobs.job (name text, state jobs.state) partition by list (name);
  create table jobs.job_mail partition of jobs.job for values in ('mail');
  create function jobs.count() returns bigint language sql as 'select count(*) from jobs.job';
  create view "Odd ""name" as select note from notes;
  create materialized view totals as select count(*) from notes;
  create sequence tickets`

const foreignObjects = `select relname as name from pg_class where relowner <> 'razorbill'::regrole and relnamespace in ('public'::regnamespace, 'jobs'::regnamespace)
  union all select typname from pg_type where typowner <> 'razorbill'::regrole and typnamespace in ('public'::regnamespace, 'jobs'::regnamespace)
  union all select proname from pg_proc where proowner <> 'razorbill'::regrole and pronamespace = 'jobs'::regnamespace
  union all select nspname from pg_namespace where nspowner <> 'razorbill'::regrole and nspname = 'jobs'
  union all select datname from pg_database where datdba <> 'razorbill'::regrole and datname = 'razorbill'`

async function isTakenOver(t: Test, dataDir: string): Promise<void> {
  const running = await start(t, dataDir)
  const { connection } = running
  t.match(await query(connection, 'select note from notes'), [{ note: 'kept' }])
  t.same(await query(connection, foreignObjects), [])
  await query(connection, 'alter table notes add more text; alter type jobs.state add value $$failed$$; drop materialized view totals')
  t.match(await query(connection, 'select rolsuper from pg_roles where rolname = current_user'), [{ rolsuper: false }])
  const cluster = join(dataDir, 'postgres')
  const { uid } = statSync(cluster)
  t.not(uid, nobody.uid)
  t.equal(execFileSync('find', [cluster, '!', '-uid', String(uid)], { encoding: 'utf8' }), '', 'every file has its new owner')
  chmodSync(connection.host, 0o755)
  chmodSync(join(connection.host, '.s.PGSQL.5432'), 0o777)
  t.match(connectAsNobody(connection.host, 'app'), /[Pp]eer authentication failed/)
  await end(running, 'SIGTERM')
}

t.test('takes over the folder of an earlier version, even after kills on the way', { skip }, async (t) => {
  const dataDir = await oldFolder(t)
  for (const delay of [150, 250, 350, 450, 550]) {
    const child = run(t, dataDir)
    await sleep(delay)
    await end({ child }, 'SIGKILL')
  }
  await isTakenOver(t, dataDir)
  const cluster = join(dataDir, 'postgres')
  lchownSync(cluster, 0, 0)
  for (const name of ['base', 'global', 'PG_VERSION']) lchownSync(join(cluster, name), nobody.uid, nobody.gid)
  const { connection } = await start(t, dataDir)
  t.match(await query(connection, 'select note from notes'), [{ note: 'kept' }], 'an interrupted takeover starts again')
})

t.test('first stops a running server of an earlier version', { skip }, async (t) => {
  const dataDir = await oldFolder(t, { running: true })
  const before = postmasterOf(dataDir)
  await isTakenOver(t, dataDir)
  t.notOk(isAlive(before))
})

t.test('copies programs from a closed folder to a place where their user may run them', { skip }, async (t) => {
  const closed = dirname(folder(t))
  const copies = join(dirname(folder(t)), 'copies')
  chmodSync(dirname(copies), 0o755)
  cpSync(native, join(closed, 'native'), { recursive: true, verbatimSymlinks: true })
  chmodSync(join(closed, 'native', 'bin', 'postgres'), 0o700)
  const account = accountFor(join(closed, 'postgres'))
  const original = binariesIn(join(closed, 'native'), '18.0.0')
  const { postgres, initdb } = programsFor(account, original, copies)
  const { uid, gid } = account
  for (const program of [postgres, initdb]) {
    t.equal(statSync(program).uid, 0)
    t.equal(statSync(program).mode & 0o777, 0o755)
    t.match(spawnSync(program, ['--version'], { uid, gid, cwd: '/', encoding: 'utf8' }).stdout, /PostgreSQL/)
  }
  t.equal(programsFor(account, original, copies).postgres, postgres, 'the copy is reused')
  t.same(readdirSync(copies), ['postgresql-18.0.0'])
  chownSync(copies, nobody.uid, nobody.gid)
  t.throws(() => programsFor(account, original, copies), /is not a folder that only root can change/)
  t.throws(() => programsFor(account, original, join(closed, 'copies')), StartError, 'closed as well')
})

t.test('refuses a socket folder prepared by another user, and follows no link', { skip }, (t) => {
  const victim = dirname(folder(t))
  const account = accountFor(join(victim, 'postgres'))
  const dir = socketDirOf(join(victim, 'postgres'), account)
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  symlinkSync(victim, dir)
  t.throws(() => makeSocketDir(dir, account), /belongs to another user/)
  t.equal(statSync(victim).uid, 0)
  rmSync(dir)
  mkdirSync(dir)
  chownSync(dir, nobody.uid, nobody.gid)
  t.throws(() => makeSocketDir(dir, account), /belongs to another user/)
  t.equal(statSync(dir).uid, nobody.uid)
  t.end()
})
