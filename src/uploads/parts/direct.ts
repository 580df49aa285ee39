import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Share } from '../../shares/queries.ts'
import type { SignedRequest, StoredPart } from '../../storage/object-store.ts'
import { partLength } from '../../storage/parts.ts'
import type { File } from '../queries.ts'
import { markUploading, uploadOf } from './receive-part.ts'

/**
 * Returns whether the parts of a file may be uploaded directly to the store: it has parts, and
 * direct mode is on.
 */
export const allowsDirect = ({ storage }: Pick<Context, 'storage'>, { size }: Pick<File, 'size'>): boolean =>
  size > 0 && storage.direct !== undefined

/**
 * Signs the upload of one part directly to the store.
 *
 * @throws {AppError} file_already_complete
 * @throws {AppError} part_out_of_range: with `partCount`
 * @throws {AppError} direct_uploads_off: the client must upload the part here instead
 */
export async function signPart(
  ctx: Pick<Context, 'db' | 'now' | 'storage'>,
  share: Share,
  file: File,
  number: number,
): Promise<SignedRequest> {
  if (file.completedAt || file.crc32 !== null) throw new AppError('file_already_complete')
  if (number < 1 || number > file.partCount) throw new AppError('part_out_of_range', { partCount: file.partCount })
  const { direct } = ctx.storage
  if (!direct) throw new AppError('direct_uploads_off')
  await markUploading(ctx, share)
  return direct.signPart(uploadOf(file), number, partLength(file, number))
}

/**
 * Returns the complete parts that were uploaded directly to the store; empty for stores without
 * direct mode.
 *
 * @throws {ObjectMissing} the store no longer has the upload
 */
export async function partsInStore({ storage }: Pick<Context, 'storage'>, file: File): Promise<StoredPart[]> {
  if (!storage.listParts || !file.uploadId) return []
  const parts = await storage.listParts(uploadOf(file))
  return parts.filter(({ number, size }) => number <= file.partCount && size === partLength(file, number))
}

/**
 * Returns whether the object is complete, although this was not recorded: a process crashed after
 * finishing the upload.
 */
export async function isFinished({ storage }: Pick<Context, 'storage'>, { objectKey, size }: File): Promise<boolean> {
  return (await storage.head(objectKey))?.size === size
}
