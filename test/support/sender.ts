import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetchTransport } from '../../uploader/fetch-transport.ts'
import { Uploader } from '../../uploader/uploader.ts'
import { fetchWhole, type Reply } from './listening.ts'
import { person } from './people/person.ts'
import { type fileOf, upload } from './uploads.ts'

type GeneratedFile = ReturnType<typeof fileOf>

const hurried = { stallTimeout: 10_000, callTimeout: 60_000, retryDelay: 200, retryDelayMax: 1_000 } // ms

/**
 * A signed-in user who uploads and downloads as the pages do: retries while a server is away or
 * busy, and rejects wrong bytes.
 */
export function sender(server: { url(): string }, cookie: string) {
  const own = person(server, cookie)

  /** Retries for a minute when the response was lost or the server was unavailable. */
  async function patiently(method: string, path: string, body?: object): Promise<Reply> {
    for (const deadline = Date.now() + 60_000; ; await sleep(200)) {
      const reply = await own.call(method, path, body).catch((error: Error) => error)
      const served = !(reply instanceof Error) && reply.status < 500
      if (served) return reply
      if (Date.now() > deadline) throw new Error(`${method} ${path}: ${reply instanceof Error ? reply.message : reply.body}`)
    }
  }

  return {
    patiently,
    /** Creates a share. An existing one is accepted, because a response may have been lost. */
    async begin(id: string): Promise<void> {
      const { status, body } = await patiently('POST', '/shares', { id, expiration: 'never' })
      if (status !== 201 && !String(body).includes('share_id_taken')) throw new Error(`${id} could not be made: ${body}`)
    },
    uploader(shareId: string): Uploader {
      const transport = fetchTransport({ baseUrl: server.url(), headers: { cookie } })
      return new Uploader({ shareId, transport, renewSession: async () => true, tuning: hurried })
    },
    /** Uploads the files into a new share and completes it. */
    async send(id: string, files: GeneratedFile[]): Promise<void> {
      await this.begin(id)
      const { state, problem, files: sent } = await upload(this.uploader(id), files)
      const problems = [problem, ...sent.map((file) => file.problem)].filter(Boolean)
      if (state !== 'completed') throw new Error(`${id} is ${state}: ${JSON.stringify(problems)}`)
    },
    /** SHA-256 of each downloaded file of a share, by its name. */
    async digests(id: string): Promise<Record<string, string>> {
      const { files } = JSON.parse(String((await patiently('GET', `/shares/${id}/from-owner`)).body)) as {
        files: { id: string; name: string }[]
      }
      const found = files.map(async (file) => {
        const { status, body } = await patiently('GET', `/shares/${id}/files/${file.id}`)
        return [file.name, status === 200 ? createHash('sha256').update(body).digest('hex') : `status ${status}`] as const
      })
      return Object.fromEntries(await Promise.all(found))
    },
  }
}

/** The metrics that a server process serves on a separate port. */
export async function metricsOf(server: { logged(message: string): Record<string, unknown>[] }): Promise<string> {
  const port = Number(server.logged('serving metrics')[0]!.port)
  return String((await fetchWhole(port, '/metrics')).body)
}
