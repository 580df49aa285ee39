import { sql } from 'kysely'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { leastNameBytes, nameBytesPerFile } from '../shares/limits.ts'
import { checkOpenFiles } from '../shares/open-uploads.ts'
import { lockShare, type Share } from '../shares/queries.ts'
import { lockTotal, maxTotalOf, receivedBytes } from '../shares/reverse/queries.ts'
import { usedBytes } from '../shares/used-bytes.ts'
import { type FileTotals, reserve } from './queries.ts'

/** The limits for all files of a share, and for all shares of the user whose storage it uses. */
export interface Limits extends FileTotals {
  /** Bytes; 0 means unlimited. */
  userSize: number
}

/** Returns the limits in force for a share. */
export async function limitsOf(ctx: Pick<Context, 'db' | 'env'>, { maxSize }: Pick<Share, 'maxSize'>): Promise<Limits> {
  const settings = await readSettings(ctx)
  return {
    size: Math.min(settings['share.maxSize'], maxSize ?? Number.POSITIVE_INFINITY),
    files: settings['share.maxFiles'],
    nameBytes: Math.max(settings['share.maxFiles'] * nameBytesPerFile, leastNameBytes),
    userSize: settings['share.maxUserSize'],
  }
}

interface Reservation {
  /** Bytes. */
  size: number
  max: Limits
  now: Date
}

interface FileReservation extends Reservation {
  name: string
}

/** Returns the refusal of names that are too long together: `max` is in bytes of UTF-8. */
export function namesTooLong({ nameBytes }: Limits): AppError {
  return new AppError('file_name_invalid', { rule: 'names_too_long_together', max: nameBytes })
}

/**
 * Reserves bytes of a file that is already counted.
 *
 * @throws {AppError} share_not_found
 * @throws {AppError} share_already_completed
 * @throws {AppError} share_too_large: with `max` in bytes
 * @throws {AppError} storage_quota_exceeded, reverse_share_full: with `max` in bytes
 */
export async function reserveBytes(tx: Db, share: Share, reservation: Reservation): Promise<void> {
  await reserveFiles(tx, share, { ...reservation, names: [] })
}

/**
 * Counts one more file and reserves its bytes.
 *
 * @throws the errors of `reserveBytes`
 * @throws {AppError} too_many_files: with `limit`
 * @throws {AppError} file_name_invalid: all names together are too long
 */
export async function reserveFile(tx: Db, share: Share, { name, ...reservation }: FileReservation): Promise<void> {
  await reserveFiles(tx, share, { ...reservation, names: [name] })
}

/**
 * Does the same for a file whose bytes arrive in later requests.
 *
 * @throws the errors of `reserveFile` and `checkOpenFiles`
 */
export async function reserveOpenFile(tx: Db, share: Share, reservation: FileReservation): Promise<void> {
  await reserveFile(tx, share, reservation)
  await checkOpenFiles(tx, share)
}

interface FilesReservation extends Reservation {
  names: readonly string[]
}

/**
 * Counts any number of files and reserves their bytes.
 *
 * @throws the errors of `reserveFile`
 */
export async function reserveFiles(tx: Db, share: Share, { size, names, max, now }: FilesReservation): Promise<void> {
  if (size > 0) await checkTotal(tx, share, size)
  if (max.userSize > 0 && size > 0) await checkUserSize(tx, share, size, max.userSize)
  if (await reserve(tx, share.uid, { size, files: names.length, nameBytes: bytesOf(names), max, now })) return
  const current = await lockShare(tx, share.uid)
  if (!current) throw new AppError('share_not_found')
  checkFits(current, { size, names, max })
  throw namesTooLong(max)
}

/**
 * Checks that files would fit in a share now, to refuse them early. Only `reserveFiles` decides.
 *
 * @throws {AppError} share_already_completed
 * @throws {AppError} share_too_large: with `max` in bytes
 * @throws {AppError} too_many_files: with `limit`
 * @throws {AppError} file_name_invalid: all names together are too long
 */
export function checkFits(share: Share, { size, names, max }: Omit<FilesReservation, 'now'>): void {
  if (!share.uploadOpen) throw new AppError('share_already_completed')
  if (share.reserved + size > max.size) throw new AppError('share_too_large', { max: max.size })
  if (share.reservedFiles + names.length > max.files) throw new AppError('too_many_files', { limit: max.files })
  if (names.length > 0 && share.reservedNameBytes + bytesOf(names) > max.nameBytes) throw namesTooLong(max)
}

function bytesOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + Buffer.byteLength(name), 0)
}

/** The lock is held until the transaction ends, so that the shares of an upload link are counted in turn. */
async function checkTotal(tx: Db, { reverseShareId, uid }: Share, size: number): Promise<void> {
  const max = reverseShareId === null ? null : await maxTotalOf(tx, reverseShareId)
  if (reverseShareId === null || max === null) return
  await lockShare(tx, uid) // first, like callers that change the share
  await lockTotal(tx, reverseShareId)
  if ((await receivedBytes(tx, reverseShareId, uid)) + size > max) throw new AppError('reverse_share_full', { max })
}

/**
 * A received share uses its recipient's storage. The lock is held until the transaction ends, so
 * that a user's shares are counted in turn.
 */
async function checkUserSize(tx: Db, { ownerId, receiverId, uid }: Share, size: number, max: number): Promise<void> {
  const user = receiverId ?? ownerId
  if (!user) return
  await lockShare(tx, uid) // first, like callers that change the share
  await sql`select pg_advisory_xact_lock(hashtextextended(${`storage of ${user}`}, 0))`.execute(tx)
  const { used } = await tx
    .selectFrom('share')
    .select(usedBytes(uid).as('used'))
    .where((eb) => eb.or([eb('receiverId', '=', user), eb.and([eb('ownerId', '=', user), eb('receiverId', 'is', null)])]))
    .executeTakeFirstOrThrow()
  if (used + size > max) throw new AppError('storage_quota_exceeded', { max })
}
