import type { TFunction } from 'i18next'
import { openDocument } from '../../../uploader/encryption/document.ts'
import type { ShareContent } from '../../../uploader/encryption/share-content.ts'
import { ownTitleOf } from '../share-title.ts'
import { draftStore } from './draft-store.ts'
import { knownKey } from './opened-keys.ts'

/**
 * Returns what the document of a share says; null if this browser doesn't have the key.
 *
 * @throws {EncryptionError}
 * @throws {ApiError} the document can't be loaded
 */
export async function decryptedContent(id: string): Promise<ShareContent | null> {
  const known = await knownKey(id)
  return known && (await openDocument(known.key, await draftStore(id).load())).content
}

/** Returns the title of an encrypted share for its owner; null if it can't be decrypted. */
export async function decryptedTitle(id: string, t: TFunction): Promise<string | null> {
  const content = await decryptedContent(id).catch(() => null)
  return content && ownTitleOf({ ...content, id }, t)
}
