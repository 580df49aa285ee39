import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { Socket } from '../../src/db/embedded.ts'

interface Test {
  teardown(work: () => Promise<unknown>): void
}

/**
 * The address of a database that accepts only its own user, with another user in it. Each
 * connection leads to the socket that `current` returns then.
 */
export async function overTcp(t: Test, socket: Socket, current = () => socket): Promise<string> {
  const relay = createServer((client) => {
    const { host, port } = current()
    const server = connect(join(host, `.s.PGSQL.${port}`))
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on('error', () => to.destroy())
      from.pipe(to)
    }
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  t.teardown(async () => void relay.close())
  return `postgres://${socket.user}@127.0.0.1:${(relay.address() as AddressInfo).port}/${socket.database}`
}
