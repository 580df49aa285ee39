import { sql } from 'kysely'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { checkOpenFiles } from '../shares/open-uploads.ts'
import { lockShare, type Share } from '../shares/queries.ts'
import { type Room, reserve } from './queries.ts'

/** What a share's files may have together, and all bytes of the user whose storage it takes. */
export interface Limits extends Room {
  /** Bytes; 0: unlimited. */
  userSize: number
}

/** Returns the limits in force for a share. */
export async function limitsOf(ctx: Pick<Context, 'db' | 'env'>, { maxSize }: Pick<Share, 'maxSize'>): Promise<Limits> {
  const settings = await readSettings(ctx)
  return {
    size: Math.min(settings['share.maxSize'], maxSize ?? Number.POSITIVE_INFINITY),
    files: settings['share.maxFiles'],
    userSize: settings['share.maxUserSize'],
  }
}

interface Wanted {
  /** Bytes. */
  size: number
  max: Limits
  now: Date
}

/**
 * Reserves bytes of a file that has its place in the share already.
 *
 * @throws `share_not_found`, `share_already_completed`, `share_too_large` and `storage_quota_exceeded` with `max` in bytes.
 */
export async function reserveBytes(tx: Db, share: Share, wanted: Wanted): Promise<void> {
  await reserveFiles(tx, share, { ...wanted, files: 0 })
}

/**
 * Reserves the bytes and the place of one more file.
 *
 * @throws what `reserveBytes` does, and `too_many_files` with `limit`.
 */
export async function reserveFile(tx: Db, share: Share, wanted: Wanted): Promise<void> {
  await reserveFiles(tx, share, { ...wanted, files: 1 })
}

/**
 * The same for a file whose bytes will come in later requests.
 *
 * @throws what `reserveFile` and `checkOpenFiles` do.
 */
export async function reserveOpenFile(tx: Db, share: Share, wanted: Wanted): Promise<void> {
  await reserveFile(tx, share, wanted)
  await checkOpenFiles(tx, share)
}

/** Reserves bytes and the places of several files, or of none. Throws what `reserveFile` does. */
export async function reserveFiles(tx: Db, share: Share, { size, files, max, now }: Wanted & { files: number }): Promise<void> {
  if (max.userSize > 0 && size > 0) await checkUserSize(tx, share, size, max.userSize)
  if (await reserve(tx, share.uid, { size, files, max, now })) return
  const current = await lockShare(tx, share.uid)
  if (!current) throw new AppError('share_not_found')
  if (!current.uploadOpen) throw new AppError('share_already_completed')
  if (current.reserved + size > max.size) throw new AppError('share_too_large', { max: max.size })
  throw new AppError('too_many_files', { limit: max.files })
}

/** A received share takes its receiver's storage. The lock lasts as long as the transaction, so a user's shares are counted one after the other. */
async function checkUserSize(tx: Db, { ownerId, receiverId }: Share, size: number, max: number): Promise<void> {
  const user = receiverId ?? ownerId
  if (!user) return
  await sql`select pg_advisory_xact_lock(hashtextextended(${`storage of ${user}`}, 0))`.execute(tx)
  const { used } = await tx
    .selectFrom('share')
    .select(sql<number>`coalesce(sum(reserved), 0)::bigint`.as('used'))
    .where((eb) => eb.or([eb('receiverId', '=', user), eb.and([eb('ownerId', '=', user), eb('receiverId', 'is', null)])]))
    .executeTakeFirstOrThrow()
  if (used + size > max) throw new AppError('storage_quota_exceeded', { max })
}
