import type { Writable } from 'node:stream'
import { crc32 } from '@node-rs/crc32'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { type ByteRange, DamagedObject } from '../../storage/object-store.ts'

type Checking = Pick<Context, 'log' | 'metrics' | 'storage'>

interface StoredObject {
  objectKey: string
  size: number
}

/**
 * Checks, before the first byte of a response, that the store has an object at its full length.
 *
 * @throws {AppError} file_not_found: it is missing
 * @throws {AppError} file_damaged: it has another size; with both in bytes
 * @throws {StoreUnavailable}
 */
export async function checkObject(ctx: Checking, { objectKey, size }: StoredObject): Promise<void> {
  const object = await ctx.storage.head(objectKey)
  if (!object) throw new AppError('file_not_found')
  if (object.size === size) return
  recordDamage(ctx, new DamagedObject(`${objectKey} has ${object.size} bytes instead of ${size}`))
  throw new AppError('file_damaged', { expected: size, actual: object.size })
}

/**
 * Sends a range of a file. If it is the whole file, its CRC-32 is compared with the one of the
 * upload, and the connection is cut before the last bytes if they differ.
 *
 * @throws {DamagedObject} the bytes differ from those that were uploaded
 * @throws the errors of `ObjectStore.send`
 */
export async function sendChecked(
  ctx: Checking,
  { objectKey, size, crc32: expected }: StoredObject & { crc32: number | null },
  range: ByteRange,
  to: Writable,
): Promise<void> {
  if (expected === null || range.start > 0 || range.end < size - 1) return ctx.storage.send(objectKey, range, to)
  const damage = cutIfDamaged(to, size, expected)
  try {
    await ctx.storage.send(objectKey, range, to)
  } catch (error) {
    if (!damage()) throw error
  }
  if (!damage()) return
  const error = new DamagedObject(`${objectKey} differs from the uploaded file: its CRC-32 has changed`)
  recordDamage(ctx, error)
  throw error
}

/**
 * Destroys the stream instead of writing the last of `size` bytes to it, if their CRC-32 is not
 * `expected`. Returns a function that returns whether this has happened.
 */
function cutIfDamaged(to: Writable, size: number, expected: number): () => boolean {
  const write = to.write as (chunk: Uint8Array, ...rest: unknown[]) => boolean
  let [sent, crc, isDamaged] = [0, 0, false]
  to.write = (chunk: Uint8Array, ...rest: unknown[]) => {
    crc = crc32(chunk, crc)
    sent += chunk.length
    if (sent < size || crc === expected) return write.call(to, chunk, ...rest)
    isDamaged = true
    to.destroy()
    return false
  }
  return () => isDamaged
}

function recordDamage({ log, metrics }: Checking, err: DamagedObject): void {
  metrics.record({ kind: 'storage error', operation: 'send', reason: 'damaged' })
  log.error({ err }, 'stored object is damaged')
}
