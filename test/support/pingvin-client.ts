import type { FastifyInstance } from 'fastify'
import type { Answer } from './sharing.ts'

/**
 * How a client sends its credentials: from the cookies it received, or an access token from a body
 * as a cookie it creates.
 */
interface PingvinClient {
  call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object | string | Buffer, type?: string): Promise<Answer>
  /** The exact algorithm of Pingvin Share clients, from chunk `from` on. Returns the file's id. */
  upload(shareId: string, name: string, bytes: Buffer, from?: { id: string; index: number }): Promise<string>
  chunkSize(): Promise<number>
}

/** A client with a cookie jar. `cookies` is its initial content. */
export function pingvinClient(app: FastifyInstance, cookies: Record<string, string> = {}, keepsCookies = true): PingvinClient {
  const jar = new Map(Object.entries(cookies))
  const client: PingvinClient = {
    async call(method, path, body, type) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = { ...(cookie && { cookie }), ...(type && { 'content-type': type }) }
      const answer = await app.inject({ method, url: `/api${path}`, headers, ...(body !== undefined && { payload: body }) })
      if (keepsCookies) for (const { name, value } of answer.cookies) value ? jar.set(name, value) : jar.delete(name)
      return answer
    },
    async chunkSize() {
      const list: { key: string; value: string }[] = (await client.call('GET', '/configs')).json()
      return Number.parseInt(list.find(({ key }) => key === 'share.chunkSize')!.value, 10)
    },
    async upload(shareId, name, bytes, from) {
      const size = await client.chunkSize()
      const total = Math.max(1, Math.ceil(bytes.length / size))
      let id = from?.id
      for (let index = from?.index ?? 0; index < total; ) {
        const query = new URLSearchParams({ ...(id && { id }), name, chunkIndex: String(index), totalChunks: String(total) })
        const chunk = bytes.subarray(index * size, (index + 1) * size)
        const answer = await client.call('POST', `/shares/${shareId}/files?${query}`, chunk, 'application/octet-stream')
        const body = answer.json()
        if (answer.statusCode === 201) {
          id = body.id as string
          index++
        } else if (answer.statusCode === 400 && body.error === 'unexpected_chunk_index') index = body.expectedChunkIndex
        else throw new Error(`refused: ${answer.body}`)
      }
      return id!
    },
  }
  return client
}
