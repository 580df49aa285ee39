import { once } from 'node:events'
import type { ServerProcess } from '../app/server-process.ts'
import { begin, fetchWhole, type Reply, replyTo } from '../listening.ts'
import { password } from './people.ts'

const json = { 'content-type': 'application/json' }
const bytes = { 'content-type': 'application/octet-stream' }

/** The addresses of a server, or of a proxy before several. */
type Listening = Pick<ServerProcess, 'url'>

/** The port that a server listens on. */
export const portOf = (server: Listening) => Number(new URL(server.url()).port)

/** The calls of one person at a running server. `good` throws when a call is refused. */
export function person(server: Listening, cookie = '') {
  const port = portOf(server)
  const call = async (method: string, path: string, body?: object | Buffer, more: Record<string, string> = {}): Promise<Reply> => {
    const headers = { cookie, ...(Buffer.isBuffer(body) ? bytes : body ? json : {}), ...more }
    return fetchWhole(port, `/api${path}`, { method, headers }, Buffer.isBuffer(body) ? body : body && Buffer.from(JSON.stringify(body)))
  }
  const good = async (...args: Parameters<typeof call>) => {
    const reply = await call(...args)
    if (reply.status >= 300) throw new Error(`${args[0]} ${args[1]}: ${reply.status} ${reply.body}`)
    return reply
  }
  return {
    call,
    good,
    async announce(id: string, name: string, size: number) {
      return JSON.parse(String((await good('POST', `/shares/${id}/files`, { name, size })).body)) as { id: string; partSize: number }
    },
    async share(id: string, content: Buffer, name = 'a.bin') {
      await good('POST', '/shares', { id, expiration: 'never' })
      const file = await this.announce(id, name, content.length)
      await good('PUT', `/shares/${id}/files/${file.id}/parts/1`, content)
      await good('POST', `/shares/${id}/files/${file.id}/complete`)
      await good('POST', `/shares/${id}/complete`)
      return file.id
    },
  }
}

/** The cookies that a response set, as the next request sends them. */
export const cookiesOf = ({ headers }: Reply) => (headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ')

/**
 * Creates the first account of a server, which needs the setup code behind a proxy. Returns its
 * cookies.
 */
export async function signUp(server: Listening, setupCode = ''): Promise<string> {
  const account = { username: 'admin', email: 'admin@example.com', password, setupCode }
  return cookiesOf(await person(server).good('POST', '/auth/signUp', account))
}

/** The body of the readiness probe, and its status as `code`. */
export async function ready(server: Listening) {
  const { status, body } = await person(server).call('GET', '/health/ready')
  return { code: status, ...JSON.parse(String(body)) }
}

/**
 * Starts to upload a part and leaves it half sent: the server has read the headers, and half of the
 * body is on its way. `finish` sends the rest.
 */
export async function halfUpload(server: Listening, cookie: string, path: string, content: Buffer) {
  const headers = { cookie, ...bytes, 'content-length': content.length, expect: '100-continue' }
  const request = begin(portOf(server), `/api${path}`, { method: 'PUT', headers })
  request.flushHeaders()
  await once(request, 'continue')
  request.on('error', () => {})
  request.write(content.subarray(0, content.length / 2))
  await once(request, 'drain').catch(() => {})
  return {
    finish() {
      request.end(content.subarray(content.length / 2))
      return replyTo(request)
    },
  }
}
