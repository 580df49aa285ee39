import type { Answer, Sending, Transport } from './transport.ts'

/** PUTs bytes to an address outside, with these headers and nothing that names the user. Rejects when no answer came. */
export type PutOutside = (url: string, bytes: Blob, headers: Record<string, string>, sending: Sending) => Promise<Answer>

/** So many parts in a row that did not get through: the store is out of reach from here, or its CORS rules do not let us. */
const patience = 3

/**
 * Sends parts of files that the server announces as `direct` straight to the object store, to an address that it signs for each try. A file whose part
 * does not get through, or is refused, goes through the server from then on; after three in a row every file does. A network that is away is no fault of
 * the store: then the server does not get the part either.
 */
export function directTransport(transport: Transport, putOutside: PutOutside): Transport {
  const direct = new Set<string>()
  let misses = 0
  const miss = (id: string) => {
    direct.delete(id)
    misses++
  }

  /** `lost`: it did not get through; `refused`: it is to go through the server. */
  async function toStore(id: string, path: string, bytes: Blob, sending: Sending): Promise<Answer | 'lost' | 'refused'> {
    const ticket = await transport.call({ method: 'GET', path: `${path}/url` }, sending.signal)
    if (ticket.status === 409) return 'refused'
    if (ticket.status !== 200) return ticket
    const { url, headers } = ticket.body as { url: string; headers: Record<string, string> }
    try {
      const answer = await putOutside(url, bytes, headers, sending)
      if (answer.status >= 500 || answer.status === 429) return { ...answer, status: 503, body: null }
      if (answer.status >= 300) return 'refused'
      misses = 0
      return { ...answer, status: 200 }
    } catch (error) {
      if (!sending.signal.aborted) return 'lost'
      if (!isCalledOff(sending.signal)) miss(id) // nothing moved
      throw error
    }
  }

  return {
    async call(call, signal) {
      const answer = await transport.call(call, signal)
      const id = announced(call.path, answer)
      if (id !== null) direct.add(id)
      return answer
    },
    async put(path, bytes, sending) {
      const id = /\/files\/([^/]+)\/parts\/\d+$/.exec(path)?.[1]
      if (id === undefined || !direct.has(id) || misses >= patience) return transport.put(path, bytes, sending)
      const answer = await toStore(id, path, bytes, sending)
      if (typeof answer === 'object') return answer
      const taken = await transport.put(path, bytes, sending)
      if (answer === 'lost') miss(id)
      else direct.delete(id)
      return taken
    },
  }
}

/** Broken off by the user, and not because nothing moved. */
const isCalledOff = ({ reason }: AbortSignal) => (reason as Error).name === 'AbortError'

/** The file that an answer says to send straight to the store: to its announcement, or to the question what has arrived of it. */
function announced(path: string, { body }: Answer): string | null {
  const { direct, id } = (body ?? {}) as { direct?: unknown; id?: unknown }
  if (direct !== true) return null
  return /\/files\/([^/]+)\/parts$/.exec(path)?.[1] ?? (typeof id === 'string' ? id : null)
}
