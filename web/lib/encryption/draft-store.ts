import type { Bytes } from '../../../uploader/encryption/bytes.ts'
import type { DocumentStore } from '../../../uploader/encryption/change-document.ts'
import { ApiError } from '../../api.ts'
import { address } from '../address.ts'
import { hasSession, refreshSession } from '../session.ts'

/**
 * Returns where the document of a share that is being edited is stored on the server.
 *
 * @throws {ApiError} from its functions
 */
export function draftStore(id: string): DocumentStore {
  const path = address(`/api/shares/${encodeURIComponent(id)}/document`)
  return {
    async load(): Promise<Bytes> {
      const response = await send(`${path}/draft`, { cache: 'no-store' })
      if (!response.ok) throw await refusalOf(response)
      return new Uint8Array(await response.arrayBuffer())
    },
    async store(document) {
      const response = await send(path, { method: 'PUT', body: document, headers: { 'content-type': 'application/octet-stream' } })
      if (response.ok) return null
      const refusal = await refusalOf(response)
      if (typeof refusal.details.revision === 'number') return refusal.details.revision
      throw refusal
    },
  }
}

async function send(url: string, init: RequestInit): Promise<Response> {
  const request = () =>
    fetch(url, init).catch(() => {
      throw new ApiError('network', 0)
    })
  const response = await request()
  return response.status === 401 && hasSession() && (await refreshSession()) ? request() : response
}

async function refusalOf(response: Response): Promise<ApiError> {
  const { error = 'unavailable', ...details } = await response.json().catch(() => ({}))
  return new ApiError(error, response.status, details)
}
