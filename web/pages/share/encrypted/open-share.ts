import type { SharePage } from '../../../../src/shares/contract.ts'
import type { Bytes } from '../../../../uploader/encryption/bytes.ts'
import { openDocument } from '../../../../uploader/encryption/document.ts'
import type { ShareKey } from '../../../../uploader/encryption/keys.ts'
import { sealedSize } from '../../../../uploader/encryption/segments.ts'
import type { ShareContent } from '../../../../uploader/encryption/share-content.ts'
import { ApiError } from '../../../api.ts'
import type { DecryptedFile } from '../../../decryption/share.ts'
import { address } from '../../../lib/address.ts'
import { recordRevision, seenRevision } from '../../../lib/encryption/seen-revision.ts'

/** A share with the names and the description that its document has. */
export interface OpenedShare {
  page: SharePage
  files: DecryptedFile[]
  /** Names of files that the server doesn't have, or has with another length. */
  missing: string[]
  /** Addresses of small pictures by the IDs of files. */
  thumbnails: Map<string, string>
}

/**
 * Decrypts the document of a share.
 *
 * @throws {EncryptionError}
 * @throws {ApiError} the document can't be loaded
 */
export async function openShare(share: SharePage, key: ShareKey): Promise<OpenedShare> {
  const { revision, content } = await openDocument(key, await loadDocument(share.id), seenRevision(share.id))
  recordRevision(share.id, revision)
  return joined(share, content)
}

/** Joins what the server and the document know about the files. */
function joined(share: SharePage, { name, description, kind, files }: ShareContent): OpenedShare {
  const stored = new Map(share.files.map((file) => [file.name, file]))
  const found: DecryptedFile[] = []
  const missing: string[] = []
  const thumbnails = new Map<string, string>()
  for (const { file: sealedName, name, size, crc32, thumbnail } of files) {
    const file = stored.get(sealedName)
    if (file && Number(file.size) === sealedSize(size)) found.push({ id: file.id, sealedName, name, size, crc32 })
    else missing.push(name)
    if (file && thumbnail) thumbnails.set(file.id, `data:image/webp;base64,${thumbnail.replaceAll('-', '+').replaceAll('_', '/')}`)
  }
  const size = found.reduce((sum, file) => sum + file.size, 0)
  const shown = found.map(({ id, name, size }) => ({ id, name, size: String(size) }))
  return { page: { ...share, name, description, kind, size, files: shown }, files: found, missing, thumbnails }
}

async function loadDocument(id: string): Promise<Bytes> {
  const response = await fetch(address(`/api/shares/${encodeURIComponent(id)}/document`), { cache: 'no-store' }).catch(() => null)
  if (!response) throw new ApiError('network', 0)
  if (!response.ok) throw new ApiError('unavailable', response.status)
  return new Uint8Array(await response.arrayBuffer())
}
