import type { DocumentStore } from '../../../uploader/encryption/change-document.ts'
import { ApiError, callForBytes } from '../../api.ts'

/**
 * Returns where the document of a share that is being edited is stored on the server.
 *
 * @throws {ApiError} from its functions
 */
export function draftStore(id: string): DocumentStore {
  const path = `/api/shares/${encodeURIComponent(id)}/document`
  return {
    load: () => callForBytes(`${path}/draft`, { cache: 'no-store' }),
    async store(document) {
      try {
        await callForBytes(path, { method: 'PUT', body: document, headers: { 'content-type': 'application/octet-stream' } })
        return null
      } catch (error) {
        if (error instanceof ApiError && typeof error.details.revision === 'number') return error.details.revision
        throw error
      }
    },
  }
}
