import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'

export interface Asked {
  method: string
  path: string
  /** Returns the number of requests with this method and path so far, including the current one. */
  time: number
  headers: IncomingMessage['headers']
}

/**
 * How the server fails a request: an error response, a cut connection, no response, or a cut
 * connection after doing the work.
 */
type Misbehaviour = { status: number; error?: string; retryAfter?: number; more?: object } | 'cut' | 'stall' | 'lose-answer' | undefined

interface HeldFile {
  id: string
  name: string
  size: number
  parts: Map<number, Buffer>
  complete: boolean
}

const partSize = 1_000

/**
 * A small server that implements the upload contract over real sockets for one share, keeps the
 * uploaded bytes, and fails on demand.
 */
export class UploadServer {
  readonly files = new Map<string, HeldFile>()
  readonly asked: Asked[] = []
  /** Closed with the server, because an uploader would wait for it to return. */
  readonly clients: { close(): void }[] = []
  misbehave: (asked: Asked) => Misbehaviour = () => undefined
  /** The address of an object store for parts, or null when they come here. */
  store: string | null = null
  /** The delay of each request in milliseconds. */
  delay = 0
  state: 'open' | 'completed' | 'deleted' = 'open'
  mostAtOnce = 0
  #running = 0
  readonly #runningOf = new Map<string, number>()
  readonly #times = new Map<string, number>()
  readonly #server = createServer((request, response) => void this.#handle(request, response))

  static async start(t: Test): Promise<UploadServer> {
    const server = new UploadServer()
    await server.listen()
    t.teardown(() => {
      for (const client of server.clients) client.close()
      return server.close()
    })
    return server
  }

  #port = 0
  get origin(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (this.#server.address() as AddressInfo).port
  }

  /** Stops listening and cuts every connection. `listen` opens the same port again. */
  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Returns how many requests with this method are running. */
  running(method: string): number {
    return this.#runningOf.get(method) ?? 0
  }

  count(method: string, path: RegExp): number {
    return this.asked.filter((asked) => asked.method === method && path.test(asked.path)).length
  }

  /** SHA-256 of each complete file, by name. */
  digests(): Record<string, string> {
    const complete = [...this.files.values()].filter((file) => file.complete)
    return Object.fromEntries(
      complete.map(({ name, parts }) => [name, sha256(Buffer.concat([...parts].sort(([a], [b]) => a - b).map(([, part]) => part)))]),
    )
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method!
    const path = request.url!
    const time = (this.#times.get(`${method} ${path}`) ?? 0) + 1
    this.#times.set(`${method} ${path}`, time)
    const asked = { method, path, time, headers: request.headers }
    this.asked.push(asked)
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#running)
    this.#runningOf.set(method, this.running(method) + 1)
    response.on('close', () => {
      this.#running--
      this.#runningOf.set(method, this.running(method) - 1)
    })
    const misbehaviour = this.misbehave(asked)
    if (misbehaviour === 'stall') return
    if (misbehaviour === 'cut') return void request.socket.destroy()
    const body = await read(request)
    if (!body) return
    await sleep(this.delay)
    if (typeof misbehaviour === 'object') {
      const { status, error, retryAfter, more } = misbehaviour
      if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
      return answer(response, status, error ? { statusCode: status, error, message: 'No.', ...more } : null)
    }
    const [status, result] = this.#serve(method, path, body)
    if (misbehaviour === 'lose-answer') return void request.socket.destroy()
    answer(response, status, result)
  }

  #serve(method: string, path: string, body: Buffer): [status: number, body: object | string] {
    if (path === '/api/health') return [200, 'OK']
    if (path === '/api/shares/s' && method === 'DELETE') {
      this.state = 'deleted'
      return [200, {}]
    }
    if (path === '/api/shares/s/complete') return this.#completeShare()
    if (path === '/api/shares/s/packs') return this.#pack(body)
    if (path === '/api/shares/s/files') return this.#open(JSON.parse(String(body)))
    const [, fileId, what, number] = /^\/api\/shares\/s\/files\/([^/]+)(?:\/(parts|complete)(?:\/(\d+)(?:\/url)?)?)?$/.exec(path) ?? []
    const file = this.files.get(fileId ?? '')
    if (!file) return refuse(404, 'file_not_found')
    if (method === 'DELETE') {
      this.files.delete(file.id)
      return [200, {}]
    }
    if (method === 'PUT') return this.#part(file, Number(number), body)
    const partCount = countOf(file)
    const direct = this.store !== null
    if (method === 'GET' && number)
      return direct
        ? [200, { url: `${this.store}/${file.id}/${number}`, headers: { 'x-signed': 'yes' } }]
        : refuse(409, 'direct_uploads_off')
    if (method === 'GET') return [200, { partSize, partCount, parts: [...file.parts.keys()], direct }]
    const missing = Array.from({ length: partCount }, (_, index) => index + 1).filter((part) => !file.parts.has(part))
    if (what === 'complete' && missing.length > 0) return refuse(400, 'upload_incomplete', { missing })
    file.complete = true
    return [200, { id: file.id, name: file.name, size: file.size }]
  }

  #open({ name, size }: { name: string; size: number }): [number, object] {
    const file = { id: randomUUID(), name, size, parts: new Map<number, Buffer>(), complete: false }
    this.files.set(file.id, file)
    return [201, { id: file.id, name, size, partSize, partCount: countOf(file), direct: this.store !== null }]
  }

  #pack(body: Buffer): [number, object] {
    const end = body.indexOf('\n')
    const { id, files } = JSON.parse(body.toString('utf8', 0, end)) as { id: string; files: { name: string; size: number }[] }
    let at = end + 1
    for (const [position, { name, size }] of files.entries()) {
      const fileId = id.slice(0, -4) + position.toString(16).padStart(4, '0')
      const bytes = body.subarray(at, at + size)
      const starts = Array.from({ length: countOf({ size }) }, (_, part) => part * partSize)
      const parts = new Map(starts.map((start, part) => [part + 1, bytes.subarray(start, start + partSize)]))
      this.files.set(fileId, { id: fileId, name, size, parts, complete: true })
      at += size
    }
    return at === body.length ? [201, { files: [] }] : refuse(400, 'validation_failed')
  }

  #part(file: HeldFile, number: number, body: Buffer): [number, object] {
    const expected = Math.min(partSize, file.size - (number - 1) * partSize)
    if (file.complete) return refuse(400, 'file_already_complete')
    if (body.length !== expected) return refuse(400, 'wrong_part_size', { expected })
    file.parts.set(number, body)
    return [200, { partNumber: number, size: body.length }]
  }

  #completeShare(): [number, object] {
    const open = [...this.files.values()].filter((file) => !file.complete).map(({ id }) => id)
    if (this.state === 'completed') return refuse(400, 'share_already_completed')
    if (open.length > 0) return refuse(400, 'upload_incomplete', { files: open })
    if (this.files.size === 0) return refuse(400, 'share_has_no_files')
    this.state = 'completed'
    return [202, { id: 's' }]
  }
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

function countOf({ size }: { size: number }): number {
  return Math.ceil(size / partSize)
}

function refuse(statusCode: number, error: string, details = {}): [number, object] {
  return [statusCode, { statusCode, error, message: 'No.', ...details }]
}

function answer(response: ServerResponse, status: number, body: object | string | null): void {
  response.statusCode = status
  if (typeof body === 'object') response.setHeader('content-type', 'application/json')
  response.end(typeof body === 'string' ? body : body ? JSON.stringify(body) : '<html>proxy</html>')
}

/** Null when the client disconnected. */
async function read(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk)
    return Buffer.concat(chunks)
  } catch {
    return null
  }
}
