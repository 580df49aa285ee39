import { AppError } from '../../errors.ts'
import type { Upload } from '../../storage/object-store.ts'
import type { File } from '../queries.ts'

/** How the store knows a file that is being uploaded. Throws `upload_incomplete` while the store has not opened it. */
export function uploadOf({ objectKey, uploadId, size, partSize }: File): Upload {
  if (!uploadId) throw new AppError('upload_incomplete', { missing: [] })
  return { key: objectKey, id: uploadId, size, partSize }
}
