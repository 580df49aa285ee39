import { administrator, cookiesOf, type Server } from './server.ts'
import { type Load, transfer } from './transfer.ts'

export const MiB = 1_048_576

/** Calls the API with the administrator's cookies. @throws Error for an error response */
export async function call<T>({ url, cookie }: Server, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${url}/api${path}`, {
    method,
    headers: { cookie, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json().catch(() => null)) as T
}

/** Creates an account without administrator rights, and returns the server with its cookies. */
export async function newAccount(server: Server, username: string): Promise<Server> {
  const { password } = administrator
  await call(server, 'POST', '/users', { username, email: `${username}@example.org`, password })
  const response = await fetch(`${server.url}/api/auth/signIn`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  })
  return { ...server, cookie: cookiesOf(response) }
}

interface BenchFile {
  id: string
  partSize: number
  partCount: number
  size: number
}

/** Creates a share without files and returns its id. */
export async function newShare(server: Server): Promise<string> {
  return (await call<{ id: string }>(server, 'POST', '/shares', { expiration: 'never', recipients: [], security: {} })).id
}

/** Announces a file and returns the requests that upload its parts. */
export async function announce(server: Server, share: string, name: string, size: number): Promise<{ file: BenchFile; parts: Load[] }> {
  const file = await call<BenchFile>(server, 'POST', `/shares/${share}/files`, { name, size })
  const parts = Array.from({ length: file.partCount }, (_, at) => ({
    method: 'PUT',
    url: `${server.url}/api/shares/${share}/files/${file.id}/parts/${at + 1}`,
    send: Math.min(file.partSize, size - at * file.partSize),
    headers: { cookie: server.cookie, 'content-type': 'application/octet-stream' },
  }))
  return { file, parts }
}

/** Uploads files of the given sizes to a share, completes it, and returns the files' ids. */
export async function fill(server: Server, share: string, sizes: number[]): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < sizes.length; at += 100) {
    const batch = sizes.slice(at, at + 100)
    const opened = await Promise.all(
      batch.map((size, n) => announce(server, share, `folder/file ${String(at + n).padStart(6, '0')}.bin`, size)),
    )
    await transfer(
      opened.flatMap(({ parts }) => parts),
      4,
    )
    for (const { file } of opened) await call(server, 'POST', `/shares/${share}/files/${file.id}/complete`)
    ids.push(...opened.map(({ file }) => file.id))
  }
  await call(server, 'POST', `/shares/${share}/complete`)
  return ids
}

/** Uploads files with the given names and the same bytes to a share, and completes it. */
export async function fillWith(server: Server, share: string, names: readonly string[], bytes: Buffer): Promise<void> {
  for (const name of names) {
    const { file, parts } = await announce(server, share, name, bytes.length)
    for (const [index, { method, url, headers, send = 0 }] of parts.entries()) {
      const start = index * file.partSize
      const body = new Uint8Array(bytes.subarray(start, start + send))
      const response = await fetch(url, { method, headers: headers as Record<string, string>, body })
      if (!response.ok) throw new Error(`${method} ${url} responded with ${response.status}: ${await response.text()}`)
    }
    await call(server, 'POST', `/shares/${share}/files/${file.id}/complete`)
  }
  await call(server, 'POST', `/shares/${share}/complete`)
}
