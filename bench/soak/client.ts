import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { unzipped } from '../../test/support/app/worker.ts'
import { type fileOf, reached } from '../../test/support/uploads.ts'
import { fetchTransport } from '../../uploader/fetch-transport.ts'
import { joinBlobs } from '../../uploader/pack.ts'
import { Uploader } from '../../uploader/uploader.ts'

const PATIENCE = 120_000 // ms in which a killed process is back
const HUNG = 60_000 // ms

const tuning = { stallTimeout: 10_000, callTimeout: 60_000, retryDelay: 200, retryDelayMax: 2_000, attempts: 30 }

/** A response with its whole body. */
interface Reply {
  status: number
  body: Buffer
}

/** A user who retries for two minutes while servers are killed, and counts requests that hang. */
export class Client {
  hung = 0
  /** Requests that got a whole response, and those that failed and were sent again. */
  requests = { served: 0, failed: 0 }
  readonly #url: () => string
  readonly #headers: Record<string, string>

  constructor(url: () => string, token: string) {
    this.#url = url
    this.#headers = { authorization: `Bearer ${token}` }
  }

  /** Sends a request until it is served. @throws Error after two minutes */
  async call(method: string, path: string, body?: object): Promise<Reply> {
    let last = ''
    for (const deadline = Date.now() + PATIENCE; Date.now() < deadline; await sleep(300)) {
      const reply = await this.#once(method, path, body).catch((error: Error) => error.name)
      if (typeof reply !== 'string' && reply.status < 500 && reply.status !== 429) {
        this.requests.served++
        return reply
      }
      this.requests.failed++
      last = typeof reply === 'string' ? reply : `status ${reply.status}`
    }
    throw new Error(`${method} ${path} was not served: ${last}`)
  }

  async #once(method: string, path: string, body?: object): Promise<Reply> {
    const headers = { ...this.#headers, ...(body && { 'content-type': 'application/json' }) }
    const signal = AbortSignal.timeout(HUNG)
    try {
      const response = await fetch(`${this.#url()}/api${path}`, { method, headers, signal, ...(body && { body: JSON.stringify(body) }) })
      return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
    } catch (error) {
      if (signal.aborted) this.hung++
      throw error
    }
  }

  /** Uploads files into a share that accepts uploads, and completes it. */
  async upload(shareId: string, files: ReturnType<typeof fileOf>[]): Promise<void> {
    const transport = fetchTransport({ baseUrl: this.#url(), headers: this.#headers })
    const uploader = new Uploader({ shareId, transport, renewSession: async () => false, packs: joinBlobs, tuning })
    uploader.add(files.map((source) => ({ source })))
    uploader.start()
    const { state, problem } = await reached(uploader, 'completed', 'incomplete', 'stopped')
    uploader.close()
    if (state !== 'completed') throw new Error(`The upload to ${shareId} is ${state}: ${JSON.stringify(problem)}`)
  }

  /** Returns the names and ids of a share's files. */
  async files(id: string): Promise<{ id: string; name: string }[]> {
    const { status, body } = await this.call('GET', `/shares/${id}/from-owner`)
    if (status !== 200) throw new Error(`${id}: status ${status} ${body}`)
    return (JSON.parse(String(body)) as { files: { id: string; name: string }[] }).files
  }

  /** Returns the SHA-256 of each file of a share by its name. */
  async digests(id: string): Promise<Record<string, string>> {
    const found: Record<string, string> = {}
    for (const file of await this.files(id)) {
      const { status, body } = await this.call('GET', `/shares/${id}/files/${file.id}`)
      found[file.name] = status === 200 ? sha256(body) : `status ${status}`
    }
    return found
  }

  /** The same, from the share's zip. */
  async digestsInZip(id: string): Promise<Record<string, string>> {
    const { status, body } = await this.call('GET', `/shares/${id}/files/zip`)
    if (status !== 200) return { zip: `status ${status} ${body}` }
    return Object.fromEntries(Object.entries(await unzipped(body)).map(([name, bytes]) => [name, sha256(bytes)]))
  }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
