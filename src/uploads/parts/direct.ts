import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Share } from '../../shares/queries.ts'
import type { SignedRequest, StoredPart } from '../../storage/object-store.ts'
import { partLength } from '../../storage/parts.ts'
import type { File } from '../queries.ts'
import { markUploading } from './receive-part.ts'
import { uploadOf } from './upload-of.ts'

/** Whether the parts of a file may go straight to the store: there are any, and browsers are let at it. */
export const allowsDirect = ({ storage }: Pick<Context, 'storage'>, { size }: Pick<File, 'size'>): boolean =>
  size > 0 && storage.direct !== undefined

/**
 * Signs the sending of one part straight to the store. Throws `file_already_complete`, `part_out_of_range`, and `direct_uploads_off` where browsers are not let
 * at the store (any more): then the part is sent to us.
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

/** The parts that have reached the store past us, each with its whole length; none where that cannot be. Throws ObjectMissing when the store has no such upload any more. */
export async function partsInStore({ storage }: Pick<Context, 'storage'>, file: File): Promise<StoredPart[]> {
  if (!storage.listParts || !file.uploadId) return []
  const parts = await storage.listParts(uploadOf(file))
  return parts.filter(({ number, size }) => number <= file.partCount && size === partLength(file, number))
}

/** Whether the object is there and whole: its upload was finished, and whoever did that could not note it. */
export async function isFinished({ storage }: Pick<Context, 'storage'>, { objectKey, size }: File): Promise<boolean> {
  return (await storage.head(objectKey))?.size === size
}
