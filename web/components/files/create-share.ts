import { useIsMutating } from '@tanstack/react-query'
import type { CreatedShare, NewShare } from '../../../src/shares/contract.ts'
import type { JournalShare } from '../../../uploader/journal.ts'
import type { FileSource } from '../../../uploader/types.ts'
import { api } from '../../api.ts'
import { removesPhotoData, withoutPhotoData } from '../../lib/upload/photo-data.ts'
import { start } from '../../start.ts'

/** The key of the mutations that create a share for chosen files. */
export const creatingShare = { mutationKey: ['create-share'] }

/** Returns whether a share is being created. Its files are decided, so they must not change. */
export function useIsCreating(): boolean {
  return useIsMutating(creatingShare) > 0
}

/**
 * Creates a share for chosen files. Returns it with the files to upload, whose data about photos is
 * removed if the user wants that, and with the encryption of an encrypted share.
 *
 * @throws {ShownError} the data of a photo or video can't be removed
 * @throws {ApiError}
 */
export async function createShare(body: NewShare, chosen: readonly FileSource[]) {
  const cleaned = body.kind !== 'text' && removesPhotoData()
  const sources = cleaned ? await withoutPhotoData(chosen) : chosen
  if (start.user) await api('GET /api/users/me') // renews an expired session, without which the share would have no owner
  if (body.encrypted) return { ...(await createEncrypted(body)), sources, cleaned }
  const created = await api('POST /api/shares', { body })
  return { share: shareOf(created), encryption: null, ownerToken: created.ownerToken, sources, cleaned }
}

async function createEncrypted(body: NewShare) {
  const { EncryptedUpload, keepEncryption, newEncryption } = await import('../../lib/encryption/encrypted-upload.ts')
  const encryption = await newEncryption(body)
  const created = await api('POST /api/shares', { body: encryption.body })
  await keepEncryption(created.id, encryption)
  const { name = null, description = null, kind = 'files' } = body
  const share = { ...shareOf(created), name, encrypted: { description, kind } }
  return { share, encryption: new EncryptedUpload(share, encryption.key), ownerToken: created.ownerToken }
}

function shareOf({ id, link, expiration, name }: CreatedShare): JournalShare {
  return { id, link, expiration, name, ownerId: start.user?.id ?? null }
}
