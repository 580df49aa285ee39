import { once } from 'node:events'
import { chown, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { Socket } from '../../src/db/embedded.ts'
import { freePort } from './listening.ts'
import { startProgram, temporaryFolder, unlessRuns } from './server-program.ts'

const NOBODY = 65534

interface Test {
  teardown(work: () => Promise<unknown>): void
}

/** Why no PgBouncer can run here, or undefined when one can. */
export const noPgBouncer = unlessRuns('pgbouncer', '--version')

/**
 * Starts a PgBouncer in transaction mode in front of a database, with two connections. Returns its
 * URL.
 */
export async function startPgBouncer(t: Test, database: Socket): Promise<string> {
  const folder = await temporaryFolder(t, 'pgbouncer')
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
  await startProgram(t, port, 'pgbouncer', ['-q', file], { cwd: folder, ...as })
  return `postgres://${database.user}@127.0.0.1:${port}/razorbill`
}

/** Returns a TCP port that leads to a PostgreSQL on a Unix socket. */
async function tcpPort(t: Test, { host, port }: Pick<Socket, 'host' | 'port'>): Promise<number> {
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
