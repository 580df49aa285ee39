import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import type { Share } from '../shares/queries.ts'
import { queueCleanUp } from '../shares/service.ts'
import { ObjectMissing, type ObjectStore, type StoredPart, WrongLength } from '../storage/object-store.ts'
import { crc32Combine } from '../storage/streams/crc32.ts'
import { checkContent } from './file-types.ts'
import { recordWholeFile } from './form/queries.ts'
import { isFinished, partsInStore } from './parts/direct.ts'
import { uploadOf } from './parts/receive-part.ts'
import type { File } from './queries.ts'
import * as queries from './queries.ts'

type Storing = Pick<Context, 'db' | 'now' | 'storage'>
type Completing = Storing & Pick<Context, 'queue'>

/**
 * Returns the parts that have arrived, here or directly in the store, in ascending order. The
 * CRC-32 is null for a part in the store or of a complete file.
 */
export async function arrivedParts(ctx: Pick<Context, 'db' | 'storage'>, file: File): Promise<{ number: number; crc32: number | null }[]> {
  const all = Array.from({ length: file.partCount }, (_, index) => ({ number: index + 1, crc32: null }))
  if (file.completedAt) return all
  const recorded = await queries.partsOf(ctx.db, file.id)
  const direct = await directParts(ctx, file, recorded)
  if (direct === 'finished') return all
  const arrived = [...recorded, ...direct.map(({ number }) => ({ number, crc32: null }))]
  return arrived.sort((a, b) => a.number - b.number).map(({ number, crc32 }) => ({ number, crc32 }))
}

/**
 * Joins a file's parts. Calling it again, or concurrently, is safe.
 *
 * @throws {AppError} upload_incomplete: with the `missing` numbers; all of them if the store has
 *   lost a part
 * @throws {AppError} file_type_not_allowed: the content contradicts the allowed types; the file is
 *   deleted
 */
export async function completeFile(ctx: Completing, share: Share, file: File): Promise<void> {
  if (file.completedAt) return
  const direct = await directParts(ctx, file, await queries.partsOf(ctx.db, file.id))
  if (direct !== 'finished') {
    const parts = await closeLedger(ctx.db, file.id, direct)
    if (!parts) return
    await finish(ctx, file, parts)
  }
  await dropUnlessAllowed(ctx, share, file)
  await markStored(ctx, file)
  if (direct.length > 0) await ctx.queue.add('checksum-file', { fileId: file.id }, `checksum-${file.id}`)
}

async function dropUnlessAllowed(ctx: Completing, share: Share, file: File): Promise<void> {
  try {
    await checkContent(ctx, share, file)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    await ctx.db.transaction().execute((tx) => queries.dropFile(tx, share, file.id))
    await queueCleanUp(ctx)
    throw error
  }
}

/**
 * Marks a file complete whose object is whole in the store.
 *
 * @throws {AppError} file_not_found: the file has been deleted meanwhile; its object is removed
 */
export async function markStored(ctx: Storing, { id, objectKey }: Pick<File, 'id' | 'objectKey'>): Promise<void> {
  if (!(await queries.markComplete(ctx.db, id, ctx.now()))) await discardObject(ctx, objectKey)
}

/**
 * Marks a file complete that came in one piece, with its size in bytes and its CRC-32.
 *
 * @throws {AppError} file_not_found: the file has been deleted meanwhile; its object is removed
 */
export async function markStoredWhole(
  ctx: Storing,
  { id, objectKey }: Pick<File, 'id' | 'objectKey'>,
  { size, crc32 }: { size: number; crc32: number },
): Promise<void> {
  if (!(await recordWholeFile(ctx.db, id, { size, crc32, now: ctx.now() }))) await discardObject(ctx, objectKey)
}

async function discardObject({ storage }: Storing, objectKey: string): Promise<never> {
  await storage.remove([objectKey])
  throw new AppError('file_not_found')
}

/**
 * Returns the parts that are in the store but not in the ledger; `finished` if the object is
 * complete but was not recorded.
 */
async function directParts(ctx: Pick<Context, 'storage'>, file: File, recorded: queries.Part[]): Promise<StoredPart[] | 'finished'> {
  if (recorded.length === file.partCount) return []
  const recordedNumbers = new Set(recorded.map(({ number }) => number))
  try {
    return (await partsInStore(ctx, file)).filter(({ number }) => !recordedNumbers.has(number))
  } catch (error) {
    if (!(error instanceof ObjectMissing)) throw error
    return (await isFinished(ctx, file)) ? 'finished' : []
  }
}

async function finish({ db, storage }: Completing, file: File, parts: StoredPart[]): Promise<void> {
  try {
    await storage.finish(uploadOf(file), parts)
  } catch (error) {
    if (!(error instanceof WrongLength)) throw error
    await restart(db, storage, file)
    throw new AppError('upload_incomplete', { missing: parts.map(({ number }) => number) }, { cause: error })
  }
}

/**
 * Lets all parts be sent again, in a new upload: the store has used up the old one, or keeps parts
 * in it that differ from the ledger.
 */
async function restart(db: Db, storage: ObjectStore, { id, objectKey, uploadId, size, partSize }: File): Promise<void> {
  if (!uploadId) return
  await storage.abort({ key: objectKey, id: uploadId })
  const newId = await storage.begin(objectKey, size, partSize)
  if (!(await queries.reopenLedger(db, id, uploadId, newId))) await storage.abort({ key: objectKey, id: newId })
}

/**
 * Closes the ledger and returns all parts in ascending order; null if the file is already complete.
 * The file's CRC-32 stays unknown if parts were uploaded directly to the store.
 */
function closeLedger(db: Db, id: string, direct: StoredPart[]): Promise<StoredPart[] | null> {
  return db.transaction().execute(async (tx) => {
    const file = await queries.lockFile(tx, id)
    if (!file) throw new AppError('file_not_found')
    if (file.completedAt) return null
    const recorded = await queries.partsOf(tx, id)
    const parts = new Map([...direct, ...recorded].map((part) => [part.number, part]))
    const missing = Array.from({ length: file.partCount }, (_, index) => index + 1).filter((number) => !parts.has(number))
    if (missing.length > 0 || !file.uploadId) throw new AppError('upload_incomplete', { missing })
    if (recorded.length === file.partCount) {
      const crc32 = recorded.reduce((crc, part) => crc32Combine(crc, part.crc32, part.size), 0)
      await queries.closeLedger(tx, id, crc32)
    }
    return [...parts.values()].sort((a, b) => a.number - b.number)
  })
}
