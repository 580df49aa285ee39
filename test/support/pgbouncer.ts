import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Socket } from '../../src/db/embedded.ts'
import { eventually } from './app/worker.ts'
import { freePort } from './listening.ts'

const NOBODY = 65534

interface Test {
  teardown(work: () => Promise<unknown>): void
}

/** Why no PgBouncer can run here, or undefined when one can. */
export const noPgBouncer: string | undefined = spawnSync('pgbouncer', ['--version']).status === 0 ? undefined : 'pgbouncer is not installed'

/**
 * Starts a PgBouncer in transaction mode in front of a database, with two connections. Returns its
 * URL.
 */
export async function startPgBouncer(t: Test, database: Socket): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'razorbill-pgbouncer-'))
  const [port, server] = [await freePort(), await tcpPort(t, database)]
  const config = `[databases]
razorbill = host=127.0.0.1 port=${server} dbname=${database.database} user=${database.user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
server_tls_sslmode = disable
`
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(file, config)
  const isRoot = process.getuid?.() === 0
  if (isRoot) await Promise.all([folder, file].map((path) => chown(path, NOBODY, NOBODY)))
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  const pgbouncer = spawn('pgbouncer', ['-q', file], { stdio: 'ignore', cwd: folder, ...as })
  const ended = once(pgbouncer, 'exit')
  t.teardown(async () => {
    pgbouncer.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true })
  })
  await eventually(() => listens(port), 'PgBouncer listens')
  return `postgres://${database.user}@127.0.0.1:${port}/razorbill`
}

/** Returns a TCP port that leads to a PostgreSQL on a Unix socket. */
export async function tcpPort(t: Test, { host, port }: Pick<Socket, 'host' | 'port'>): Promise<number> {
  const bridge = createServer((client) => {
    const server = connect(join(host, `.s.PGSQL.${port}`))
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.pipe(to)
      from.on('error', () => to.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(bridge, 'listening')
  t.teardown(async () => void bridge.close())
  const address = bridge.address()
  return typeof address === 'object' && address ? address.port : 0
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.end())
  })
}
