import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Share } from '../../shares/queries.ts'
import { ObjectMissing, type Upload } from '../../storage/object-store.ts'
import { partLength } from '../../storage/parts.ts'
import type { File } from '../queries.ts'
import { etagOf, fileOf, recordActivity, recordPart } from '../queries.ts'
import { asTimeout, idleWatch } from '../request-body.ts'
import { readContentDigest, watchDigest } from './content-digest.ts'
import { checkContentRange } from './content-range.ts'

const activityInterval = 60_000 // ms

/**
 * Receives part `number` of a file from the request's body; returns its length in bytes. A part
 * that is uploaded again replaces the first. Of two concurrent uploads, the one that ends last
 * counts. On failure, an earlier copy is kept.
 *
 * @throws {AppError} part_out_of_range: with `partCount`
 * @throws {AppError} length_required
 * @throws {AppError} wrong_part_size: with `expected`
 * @throws {AppError} digest_unsupported
 * @throws {AppError} digest_mismatch
 * @throws {AppError} file_already_complete
 * @throws {AppError} upload_in_progress: the upload was interrupted by another call
 * @throws {AppError} validation_failed: the Content-Range is wrong
 * @throws {AppError} request_timeout: the body was cut or stalled
 */
export async function receivePart(
  ctx: Pick<Context, 'db' | 'now' | 'storage'>,
  share: Share,
  file: File,
  number: number,
  request: FastifyRequest,
): Promise<number> {
  if (file.completedAt || file.crc32 !== null) throw new AppError('file_already_complete')
  if (number < 1 || number > file.partCount) throw new AppError('part_out_of_range', { partCount: file.partCount })
  const length = announcedLength(request, partLength(file, number))
  checkContentRange(request, { start: (number - 1) * file.partSize, length, size: file.size })
  const header = request.headers['content-digest']
  const digests = header === undefined ? null : readContentDigest(String(header))
  if (!(request.body instanceof Readable)) throw new AppError('unsupported_media_type')
  const watched = digests && watchDigest(request.body, digests)
  const stored = await storePart(ctx, file, number, watched?.body ?? request.body, length, request)
  if (watched && !watched.matches()) throw new AppError('digest_mismatch')
  if (!(await recordPart(ctx.db, file.id, { number, size: length, ...stored }))) throw await conflict(ctx, file)
  await markUploading(ctx, share)
  return length
}

/**
 * Records that a share is being uploaded to, so that it does not count as abandoned. Writes at most
 * once a minute.
 */
export async function markUploading(ctx: Pick<Context, 'db' | 'now'>, { uid, activeAt }: Share): Promise<void> {
  const now = ctx.now()
  if (now.getTime() - activeAt.getTime() > activityInterval) await recordActivity(ctx.db, uid, now)
}

/**
 * Returns the store's description of a file's upload.
 *
 * @throws {AppError} upload_incomplete: the store has not opened the upload yet
 */
export function uploadOf({ objectKey, uploadId, size, partSize }: File): Upload {
  if (!uploadId) throw new AppError('upload_incomplete', { missing: [] })
  return { key: objectKey, id: uploadId, size, partSize }
}

function announcedLength({ headers }: FastifyRequest, expected: number): number {
  const header = headers['content-length']
  if (header === undefined) throw new AppError('length_required')
  if (Number(header) !== expected) throw new AppError('wrong_part_size', { expected })
  return expected
}

/**
 * Stores `length` bytes of a request as part `number`.
 *
 * @throws {AppError} request_timeout: the body was cut or stalled
 * @throws {AppError} file_not_found
 * @throws {AppError} file_already_complete
 * @throws {AppError} upload_in_progress
 * @throws the other errors of `ObjectStore.writePart`
 */
export async function storePart(
  ctx: Pick<Context, 'db' | 'storage'>,
  file: File,
  number: number,
  body: Readable,
  length: number,
  request: FastifyRequest,
) {
  const idle = idleWatch(request)
  idle.start()
  try {
    return await ctx.storage.writePart(uploadOf(file), number, body, length, () => etagOf(ctx.db, file.id, number))
  } catch (error) {
    if (error instanceof ObjectMissing) throw await conflict(ctx, file)
    throw asTimeout(error)
  } finally {
    idle.stop()
  }
}

/** Returns why a part can't be kept although its upload began correctly. */
async function conflict({ db }: Pick<Context, 'db'>, { id, shareId }: File): Promise<AppError> {
  const file = await fileOf(db, shareId, id)
  if (!file) return new AppError('file_not_found')
  return new AppError(file.completedAt || file.crc32 !== null ? 'file_already_complete' : 'upload_in_progress')
}
