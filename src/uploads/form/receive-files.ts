import { randomUUID } from 'node:crypto'
import { pipeline } from 'node:stream'
import type { Context } from '../../context.ts'
import { abandonedAfter } from '../../shares/limits.ts'
import type { Share } from '../../shares/queries.ts'
import { WrongLength } from '../../storage/object-store.ts'
import { markStoredWhole } from '../complete.ts'
import { checkContent, checkFileType, declaredType } from '../file-types.ts'
import { checkFileName } from '../names.ts'
import { partSizeFor } from '../parts/part-size.ts'
import { insertFiles } from '../queries.ts'
import type { IdleWatch } from '../request-body.ts'
import { type Limits, reserveBytes, reserveFiles } from '../reserve.ts'
import { needRoomFor } from '../room.ts'
import type { FilePart } from './form-parts.ts'
import { Meter } from './meter.ts'

type Storing = Pick<Context, 'db' | 'now' | 'storage'>

/** A share that is created while its files arrive. */
export interface ReceiveContext {
  share: Share
  max: Limits
  /** Bytes of the request that are still to come; 0 if unknown. */
  expected: number
}

interface ReceivedFile {
  id: string
  name: string
  /** Bytes. */
  size: number
}

type NewFile = ReturnType<typeof newFile>

/**
 * An interrupted request is never continued, so its share counts as abandoned an hour after its
 * last byte; others after a day.
 */
const headStart = abandonedAfter - 3_600_000 // ms
/**
 * Files stored at once. All but the last of a form's files wait in memory by then, so thousands of
 * small ones take seconds.
 */
const lanes = 4

/**
 * Receives files of a form that were found together. Their sizes are known only at their ends. On
 * failure, the rows and objects of these files are removed with the share.
 *
 * @throws {AppError} file_name_invalid
 * @throws {AppError} file_type_not_allowed
 * @throws {AppError} too_many_files: with the limit
 * @throws {AppError} share_too_large: with the maximum in bytes
 * @throws {AppError} storage_quota_exceeded: with the maximum in bytes
 * @throws {AppError} request_timeout: a file was cut
 * @throws {StoreFull} the store has no room
 */
export async function receiveFiles(ctx: Storing, to: ReceiveContext, parts: FilePart[], idle: IdleWatch): Promise<ReceivedFile[]> {
  const { share, max, expected } = to
  const files = parts.map((part) => newFile(ctx, share, part))
  for (const { name } of files) checkFileName(name)
  for (const { name, part } of files) await checkFileType(ctx.db, share, { name, type: part.type })
  await ctx.db.transaction().execute(async (tx) => {
    await reserveFiles(tx, share, { names: files.map(({ name }) => name), size: 0, max, now: reservedAt(ctx) })
    await insertFiles(
      tx,
      files.map(({ part, ...row }) => row),
    )
  })
  if (expected > 0) await needRoomFor(ctx, expected)
  idle.start()
  parts.at(-1)?.bytes.once('end', idle.stop) // from here on, only the store is waited for
  const received = await storeAll(ctx, to, files)
  to.expected = received.reduce((left, { size }) => Math.max(0, left - size), expected)
  idle.start()
  return received
}

function newFile({ now }: Storing, share: Share, part: FilePart) {
  const id = randomUUID()
  const objectKey = `shares/${share.uid}/${id}`
  const unknown = { size: 0, partSize: partSizeFor(0), partCount: 0 }
  return { part, id, shareId: share.id, name: part.filename, type: declaredType(part.type), objectKey, createdAt: now(), ...unknown }
}

function reservedAt({ now }: Storing): Date {
  return new Date(now().getTime() - headStart)
}

/**
 * Stores files side by side and returns them in their order. After a failure no further file is
 * begun, and the others are cut.
 */
async function storeAll(ctx: Storing, to: ReceiveContext, files: NewFile[]): Promise<ReceivedFile[]> {
  const received: ReceivedFile[] = []
  const failures: Error[] = []
  const waiting = files.entries()
  const storeNext = async () => {
    for (const [index, file] of waiting) {
      if (failures.length > 0) return
      received[index] = await storeFile(ctx, to, file)
    }
  }
  const stop = (error: Error) => {
    failures.push(error)
    for (const { part } of files) part.bytes.destroy(error)
  }
  await Promise.all(Array.from({ length: lanes }, () => storeNext().catch(stop)))
  if (failures[0]) throw failures[0]
  return received
}

async function storeFile(ctx: Storing, { share, max, expected }: ReceiveContext, { part, ...file }: NewFile): Promise<ReceivedFile> {
  const { id, name, objectKey } = file
  const meter = new Meter((size) => ctx.db.transaction().execute((tx) => reserveBytes(tx, share, { size, max, now: reservedAt(ctx) })))
  await write(ctx, objectKey, part, meter, expected)
  const { bytes: size, crc32 } = meter
  await checkContent(ctx, share, { name, type: part.type, objectKey, size })
  await markStoredWhole(ctx, file, { size, crc32 })
  return { id, name, size }
}

/**
 * Streams a file through the meter into the store. A failing store destroys the stream; only for a
 * cut body does the stream's own error tell why.
 */
async function write({ storage }: Storing, key: string, { bytes }: FilePart, meter: Meter, expected: number): Promise<void> {
  let failure: Error | null | undefined
  pipeline(bytes, meter, (error) => {
    failure ??= error
  })
  try {
    await storage.write(key, meter, expected)
  } catch (error) {
    throw failure && error instanceof WrongLength ? failure : error
  }
}
