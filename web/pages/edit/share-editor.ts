import type { OwnerPage, ShareChanges } from '../../../src/shares/contract.ts'
import type { FileSource } from '../../../uploader/types.ts'
import type { UploaderOptions } from '../../../uploader/uploader.ts'
import { api } from '../../api.ts'

/** How a share is read and changed. An encrypted one is decrypted and encrypted in the browser. */
export interface ShareEditor {
  /** The key under which the loaded share is cached. It begins with `edit` and the share's ID. */
  queryKey: readonly string[]
  /** Loads the share with unsaved changes. */
  load(): Promise<OwnerPage>
  /** Renames a file of a share that is open for changes. */
  rename(fileId: string, name: string): Promise<unknown>
  /** Stores changed details, and shows visitors all changes. `isEditing`: files may have changed too. */
  save(changes: ShareChanges, isEditing: boolean): Promise<void>
  /** null: added files are not encrypted. */
  encryption: EditEncryption | null
}

/** Encrypts the files that are added to a share. */
export interface EditEncryption {
  /** What the uploader needs for it. */
  options: Pick<UploaderOptions, 'transport' | 'packs' | 'beforeCompleting'>
  /** Returns a file that is encrypted while it is sent. `fileId` is that of an interrupted upload. */
  seal(source: FileSource, fileId?: string): FileSource
}

/** Returns how a share is edited that is not encrypted. */
export function plainEditor(id: string): ShareEditor {
  const params = { id }
  return {
    queryKey: ['edit', id],
    load: () => api('GET /api/shares/:id/from-owner', { params }),
    rename: (fileId, name) => api('PATCH /api/shares/:id/files/:fileId', { params: { id, fileId }, body: { name } }),
    encryption: null,
    async save(changes, isEditing) {
      if (Object.keys(changes).length > 0) await api('PATCH /api/shares/:id', { params, body: changes })
      if (isEditing) await api('POST /api/shares/:id/complete', { params })
    },
  }
}
