import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, lchownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROLE, SUPERUSER } from '../../src/db/embedded/access.ts'
import { accountFor } from '../../src/db/embedded/account.ts'
import { type Binaries, findBinaries } from '../../src/db/embedded/binaries.ts'
import { programsFor } from '../../src/db/embedded/programs.ts'
import type { Socket } from '../../src/db/embedded.ts'
import { eventually } from './app/worker.ts'
import { inDatabase } from './postgres.ts'
import { temporaryFolder } from './server-program.ts'

const database = 'razorbill'
const NOBODY = 65_534

interface Test {
  teardown(work: () => Promise<unknown>): void
}

/** One PostgreSQL of a pair. */
interface Member {
  /** The application's database in it. */
  socket: Socket
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>
  /** Runs a statement as superuser. Returns the first column of the first row. */
  query(text: string): Promise<unknown>
}

/**
 * Starts a PostgreSQL and a standby that replicates it by streaming, both from the embedded
 * programs.
 */
export async function startReplication(t: Test): Promise<{ primary: Member; standby: Member }> {
  const folder = await temporaryFolder(t, 'replication')
  own(folder)
  const data = { primary: join(folder, 'primary'), standby: join(folder, 'standby') }
  const programs = programsFor(accountFor(data.primary), findBinaries())
  await succeeds(run(programs.initdb, ['-D', data.primary, '-U', SUPERUSER, '--auth=trust', '--no-sync', '--encoding=UTF8'], folder))
  const unfinished = await start(t, programs, data.primary)
  await unfinished.query(`create role ${ROLE} login`)
  await unfinished.query(`create database ${database} owner ${ROLE}`)
  await unfinished.stop()
  cpSync(data.primary, data.standby, { recursive: true })
  chmodSync(data.standby, 0o700)
  writeFileSync(join(data.standby, 'standby.signal'), '')
  own(data.standby)
  const primary = await start(t, programs, data.primary)
  const { host, port } = primary.socket
  const standby = await start(t, programs, data.standby, [`primary_conninfo=host=${host} port=${port} user=${SUPERUSER}`])
  await eventually(async () => (await primary.query('select count(*)::int from pg_stat_replication')) === 1, 'the standby streams')
  return { primary, standby }
}

async function start(t: Test, { postgres }: Binaries, data: string, settings: string[] = []): Promise<Member & { stop(): Promise<void> }> {
  const sockets = `${data}.sockets`
  if (!existsSync(sockets)) mkdirSync(sockets)
  own(sockets)
  const options = ['listen_addresses=', 'fsync=off', 'max_connections=60', ...settings].flatMap((setting) => ['-c', setting])
  const child = run(postgres, ['-D', data, '-k', sockets, ...options], data)
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  t.teardown(() => end('SIGQUIT'))
  const socket = { host: sockets, port: 5432, user: ROLE, database }
  const query = (text: string) =>
    inDatabase({ ...socket, user: SUPERUSER, database: 'postgres' }, async (client) => {
      const { rows, fields } = await client.query(text)
      return rows[0]?.[fields[0]?.name ?? '']
    })
  await eventually(
    () =>
      query('select 1').then(
        () => true,
        () => false,
      ),
    `${data} accepts connections`,
  )
  return { socket, query, kill: () => end('SIGQUIT'), stop: () => end('SIGINT') }
}

/** Starts a program of PostgreSQL, which refuses to run as root. */
function run(program: string, parameters: string[], cwd: string): ChildProcess {
  const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  return spawn(program, parameters, { cwd, env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }, stdio: 'ignore', ...as })
}

async function succeeds(child: ChildProcess): Promise<void> {
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code}`)
}

/** Gives a folder to the user that PostgreSQL runs as. */
function own(folder: string): void {
  if (process.getuid?.() !== 0) return
  chownSync(folder, NOBODY, NOBODY)
  for (const name of readdirSync(folder, { recursive: true })) lchownSync(join(folder, String(name)), NOBODY, NOBODY)
}
