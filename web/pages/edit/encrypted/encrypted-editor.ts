import { isBlank } from '../../../../src/invisible-characters.ts'
import { backoff, pause } from '../../../../uploader/backoff.ts'
import { crc32 } from '../../../../uploader/crc32.ts'
import { changeDocument } from '../../../../uploader/encryption/change-document.ts'
import { describe } from '../../../../uploader/encryption/describe.ts'
import { openDocument } from '../../../../uploader/encryption/document.ts'
import type { ShareKey } from '../../../../uploader/encryption/keys.ts'
import { joinSealed, sealingTransport } from '../../../../uploader/encryption/sealed-bytes.ts'
import { isFileName, type ShareContent } from '../../../../uploader/encryption/share-content.ts'
import { withThumbnails } from '../../../../uploader/encryption/thumbnail-room.ts'
import type { FileSource, Problem } from '../../../../uploader/types.ts'
import { ApiError, api } from '../../../api.ts'
import { draftStore } from '../../../lib/encryption/draft-store.ts'
import { sealFile } from '../../../lib/encryption/encrypted-upload.ts'
import { recordRevision, seenRevision } from '../../../lib/encryption/seen-revision.ts'
import { Thumbnails } from '../../../lib/encryption/thumbnails.ts'
import { xhrTransport } from '../../../lib/upload/xhr-transport.ts'
import type { ShareEditor } from '../share-editor.ts'
import { decryptedPage } from './decrypted-page.ts'

/**
 * Returns how a share is edited whose document and files are encrypted in this browser. `unnamed`
 * is shown for files whose names are not known.
 */
export function encryptedEditor(id: string, key: ShareKey, unnamed: string): ShareEditor {
  const params = { id }
  const documents = draftStore(id)
  const thumbnails = new Thumbnails()
  /** Names on the server, by the IDs of the files. */
  const sealedNames = new Map<string, string>()
  const change = (edit: (content: ShareContent) => ShareContent) => changeDocument(key, documents, edit, seenRevision(id))
  const loadPage = async () => {
    const page = await api('GET /api/shares/:id/from-owner', { params })
    for (const file of [...page.files, ...page.removedFiles, ...page.unfinishedFiles]) sealedNames.set(file.id, file.name)
    return page
  }

  /** Adds uploaded files to the document. Retries until the server can be reached. */
  async function listFiles(sources: readonly FileSource[], signal: AbortSignal): Promise<Problem | null> {
    const { files } = await describe({}, sources, crc32)
    const pictures = await thumbnails.made()
    const added = new Set(files.map(({ file }) => file))
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await change((content) => {
          const others = content.files.filter(({ file }) => !added.has(file))
          return withThumbnails({ ...content, files: [...others, ...files] }, pictures)
        })
        return null
      } catch (error) {
        if (!(error instanceof ApiError)) return { code: 'internal', details: {} }
        const isTemporary = error.status === 0 || error.status === 429 || error.status >= 500
        if (!isTemporary) return { code: error.code, details: error.details }
        await pause(backoff(attempt, 1_000, 30_000), signal)
      }
    }
    return null
  }

  return {
    queryKey: ['edit', id, 'decrypted'],
    async load() {
      const [page, bytes] = await Promise.all([loadPage(), documents.load()])
      return decryptedPage(page, (await openDocument(key, bytes, seenRevision(id))).content, unnamed)
    },
    async rename(fileId, name) {
      if (!isFileName(name) || name.split('/').some(isBlank)) throw new ApiError('file_name_invalid', 400)
      const renamed = sealedNames.get(fileId)
      await change((content) => ({ ...content, files: content.files.map((file) => (file.file === renamed ? { ...file, name } : file)) }))
    },
    encryption: {
      options: { transport: sealingTransport(xhrTransport()), packs: joinSealed, beforeCompleting: listFiles },
      seal(source, fileId) {
        const sealed = sealFile(key, source, fileId && sealedNames.get(fileId))
        thumbnails.add(sealed.name, source)
        return sealed
      },
    },
    async save({ name, description, ...details }, isEditing) {
      if (Object.keys(details).length > 0) await api('PATCH /api/shares/:id', { params, body: details })
      if (!isEditing && name === undefined && description === undefined) return
      await api('DELETE /api/shares/:id/complete', { params })
      const kept = new Set((await loadPage()).files.map((file) => file.name))
      const { revision } = await change((content) => ({
        ...content,
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        files: content.files.filter(({ file }) => kept.has(file)),
      }))
      await api('POST /api/shares/:id/complete', { params })
      recordRevision(id, revision)
    },
  }
}
