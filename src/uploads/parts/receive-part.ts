import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { Share } from '../../shares/queries.ts'
import { ObjectMissing, WrongLength } from '../../storage/object-store.ts'
import { partLength } from '../../storage/parts.ts'
import type { File } from '../queries.ts'
import { etagOf, fileOf, recordActivity, recordPart } from '../queries.ts'
import { watchIdle } from '../request-body.ts'
import { readContentDigest, watchDigest } from './content-digest.ts'
import { checkContentRange } from './content-range.ts'
import { uploadOf } from './upload-of.ts'

const activityEvery = 60_000 // ms

/**
 * Takes part `number` of a file from the request's body; answers its length in bytes. A part sent again replaces the first, and of two at once the one that
 * ends last counts. Throws `part_out_of_range`, `length_required`, `wrong_part_size` with `expected`, `digest_unsupported`, `digest_mismatch`,
 * `file_already_complete`, `upload_in_progress`, `validation_failed` (Content-Range), `request_timeout` (the body did not come whole); then the part is as it was.
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
  const digest = header === undefined ? null : readContentDigest(String(header))
  if (!(request.body instanceof Readable)) throw new AppError('unsupported_media_type')
  const watched = digest && watchDigest(request.body, digest)
  const stored = await writePart(ctx, file, number, watched?.body ?? request.body, length, request)
  if (watched && !watched.matches()) throw new AppError('digest_mismatch')
  if (!(await recordPart(ctx.db, file.id, { number, size: length, ...stored }))) throw await overtaken(ctx, file)
  await markUploading(ctx, share)
  return length
}

/** Keeps a share that is being uploaded to from counting as abandoned; writes once a minute at most. */
export async function markUploading(ctx: Pick<Context, 'db' | 'now'>, { uid, activeAt }: Share): Promise<void> {
  const now = ctx.now()
  if (now.getTime() - activeAt.getTime() > activityEvery) await recordActivity(ctx.db, uid, now)
}

function announcedLength({ headers }: FastifyRequest, expected: number): number {
  const header = headers['content-length']
  if (header === undefined) throw new AppError('length_required')
  if (Number(header) !== expected) throw new AppError('wrong_part_size', { expected })
  return expected
}

/** Brings `length` bytes of a request into the store as part `number`, as `ObjectStore.writePart` does. Throws `request_timeout` when they do not come whole. */
export async function writePart(
  ctx: Pick<Context, 'db' | 'storage'>,
  file: File,
  number: number,
  body: Readable,
  length: number,
  request: FastifyRequest,
) {
  const idle = watchIdle(request)
  idle.watch()
  try {
    return await ctx.storage.writePart(uploadOf(file), number, body, length, () => etagOf(ctx.db, file.id, number))
  } catch (error) {
    // The right length was announced: so the body was cut or stalled on its way, and the part is worth sending again.
    if (error instanceof WrongLength) throw new AppError('request_timeout', {}, { cause: error })
    if (error instanceof ObjectMissing) throw await overtaken(ctx, file)
    throw error
  } finally {
    idle.rest()
  }
}

/** Why a part could not be kept that was right when it began. */
async function overtaken({ db }: Pick<Context, 'db'>, { id, shareId }: File): Promise<AppError> {
  const file = await fileOf(db, shareId, id)
  if (!file) return new AppError('file_not_found')
  return new AppError(file.completedAt || file.crc32 !== null ? 'file_already_complete' : 'upload_in_progress')
}
