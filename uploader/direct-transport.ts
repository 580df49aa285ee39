import type { PutOptions, Transport, TransportResponse } from './transport.ts'

/**
 * Sends bytes to a URL outside the server with PUT, without credentials. Rejects when no response
 * comes.
 */
export type PutOutside = (url: string, bytes: Blob, headers: Record<string, string>, options: PutOptions) => Promise<TransportResponse>

/**
 * After this many lost parts in a row the store is unreachable from here, or its CORS rules refuse
 * this origin.
 */
const missesMax = 3

/**
 * Returns a transport that sends parts of `direct` files to the object store, to a URL that the
 * server signs for each attempt. After a lost or refused part, the rest of its file is sent through
 * the server; after three lost parts in a row, every file is. A part that the server does not
 * receive either is not counted: then the network is down, not the store.
 */
export function directTransport(transport: Transport, putOutside: PutOutside): Transport {
  const direct = new Set<string>()
  let misses = 0
  const miss = (id: string) => {
    direct.delete(id)
    misses++
  }

  /**
   * Returns `lost` when no response came, and `refused` when the part must be sent through the
   * server.
   */
  async function toStore(id: string, path: string, bytes: Blob, options: PutOptions): Promise<TransportResponse | 'lost' | 'refused'> {
    const ticket = await transport.call({ method: 'GET', path: `${path}/url` }, options.signal)
    if (ticket.status === 409) return 'refused'
    if (ticket.status !== 200) return ticket
    const { url, headers } = ticket.body as { url: string; headers: Record<string, string> }
    try {
      const response = await putOutside(url, bytes, headers, options)
      if (response.status >= 500 || response.status === 429) return { ...response, status: 503, body: null }
      if (response.status >= 300) return 'refused'
      misses = 0
      return { ...response, status: 200 }
    } catch (error) {
      if (!options.signal.aborted) return 'lost'
      if (!isCancelled(options.signal)) miss(id) // stalled
      throw error
    }
  }

  return {
    async call(call, signal) {
      const response = await transport.call(call, signal)
      const id = directFileId(call.path, response)
      if (id !== null) direct.add(id)
      return response
    },
    async put(path, bytes, options) {
      const id = /\/files\/([^/]+)\/parts\/\d+$/.exec(path)?.[1]
      if (id === undefined || !direct.has(id) || misses >= missesMax) return transport.put(path, bytes, options)
      const result = await toStore(id, path, bytes, options)
      if (typeof result === 'object') return result
      const response = await transport.put(path, bytes, options)
      if (result === 'lost') miss(id)
      else direct.delete(id)
      return response
    },
  }
}

/** Cancelled by the user, not by the stall timeout. */
const isCancelled = ({ reason }: AbortSignal) => (reason as Error).name === 'AbortError'

/**
 * Returns the file that a response marks as direct: the response to creating it, or to listing its
 * parts.
 */
function directFileId(path: string, { body }: TransportResponse): string | null {
  const { direct, id } = (body ?? {}) as { direct?: unknown; id?: unknown }
  if (direct !== true) return null
  return /\/files\/([^/]+)\/parts$/.exec(path)?.[1] ?? (typeof id === 'string' ? id : null)
}
