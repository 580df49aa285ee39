import { type ExpressionBuilder, sql } from 'kysely'
import type { Database, Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { openFilesMax, openSharesMax, openUploadsRetryAfter } from './limits.ts'
import type { Share } from './queries.ts'

/**
 * The uploader of a share: an account or an IP address. Without both, the share counts on its own.
 */
type Uploader = Pick<Share, 'ownerId' | 'openedFrom'> & Partial<Pick<Share, 'uid'>>

/**
 * Checks that the uploader can open one more share.
 * Locks the uploader's open uploads until the transaction ends, so that concurrent calls on all
 * replicas count in turn.
 * @throws {AppError} too_many_open_uploads: with `limit` and `retryAfter` in seconds
 */
export async function checkOpenShares(tx: Db, uploader: Uploader): Promise<void> {
  await lockUploader(tx, uploader)
  const { open } = await tx
    .selectFrom('share')
    .select((eb) => eb.fn.countAll<number>().as('open'))
    .where(uploadedBy(uploader))
    .where('uploadOpen', '=', true)
    .where('completedAt', 'is', null)
    .executeTakeFirstOrThrow()
  if (open >= openSharesMax) throw tooMany(openSharesMax)
}

/**
 * Checks that the uploader can add one more unfinished file, with the same lock.
 * @throws {AppError} too_many_open_uploads: with `limit` and `retryAfter` in seconds
 */
export async function checkOpenFiles(tx: Db, uploader: Uploader): Promise<void> {
  await lockUploader(tx, uploader)
  const { open } = await tx
    .selectFrom('file')
    .innerJoin('share', 'share.id', 'file.shareId')
    .select((eb) => eb.fn.countAll<number>().as('open'))
    .where(uploadedBy(uploader))
    .where('share.uploadOpen', '=', true)
    .where('file.completedAt', 'is', null)
    .executeTakeFirstOrThrow()
  if (open >= openFilesMax) throw tooMany(openFilesMax)
}

async function lockUploader(tx: Db, { ownerId, openedFrom, uid }: Uploader): Promise<void> {
  const key = `open uploads of ${ownerId ?? openedFrom ?? uid}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx)
}

function uploadedBy({ ownerId, openedFrom, uid }: Uploader) {
  return (eb: ExpressionBuilder<Database, 'share'>) => {
    if (ownerId) return eb('share.ownerId', '=', ownerId)
    return openedFrom ? eb('share.openedFrom', '=', openedFrom) : eb('share.uid', '=', uid ?? null)
  }
}

function tooMany(limit: number): AppError {
  return new AppError('too_many_open_uploads', { limit, retryAfter: openUploadsRetryAfter })
}
