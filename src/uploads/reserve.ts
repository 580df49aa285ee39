import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { lockShare, type Share } from '../shares/queries.ts'
import { reserve } from './queries.ts'

/** Bytes that all files of a share may have together. */
export async function maxSizeOf(ctx: Pick<Context, 'db' | 'env'>, { maxSize }: Pick<Share, 'maxSize'>): Promise<number> {
  return Math.min((await readSettings(ctx))['share.maxSize'], maxSize ?? Number.POSITIVE_INFINITY)
}

/** Reserves bytes of a share as `queries.reserve` does. Throws `share_not_found`, `share_already_completed`, `share_too_large` with `max` in bytes. */
export async function reserveBytes(db: Db, uid: string, wanted: { size: number; max: number; now: Date }): Promise<void> {
  if (await reserve(db, uid, wanted)) return
  const share = await lockShare(db, uid)
  if (!share) throw new AppError('share_not_found')
  throw share.uploadOpen ? new AppError('share_too_large', { max: wanted.max }) : new AppError('share_already_completed')
}
