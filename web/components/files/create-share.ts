import { useIsMutating } from '@tanstack/react-query'
import type { NewShare } from '../../../src/shares/contract.ts'
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
 * removed if the user wants that.
 *
 * @throws {ShownError} the data of a photo or video can't be removed
 * @throws {ApiError}
 */
export async function createShare(body: NewShare, chosen: readonly FileSource[]) {
  const cleaned = body.kind !== 'text' && removesPhotoData()
  const sources = cleaned ? await withoutPhotoData(chosen) : chosen
  if (start.user) await api('GET /api/users/me') // renews an expired session, without which the share would have no owner
  return { created: await api('POST /api/shares', { body }), sources, cleaned }
}
