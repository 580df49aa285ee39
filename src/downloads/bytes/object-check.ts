import type { Writable } from 'node:stream'
import { crc32 } from '@node-rs/crc32'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { type ByteRange, DamagedObject, type OnOpen, WrongLength } from '../../storage/object-store.ts'

type Checking = Pick<Context, 'log' | 'metrics' | 'storage'>

export interface StoredObject {
  objectKey: string
  size: number
}

/**
 * Asks the store whether it has an object at its full length, for responses without bytes.
 *
 * @throws {AppError} file_not_found: it is missing
 * @throws {AppError} file_damaged: it has another size; with both in bytes
 * @throws {StoreUnavailable}
 */
export async function checkObject(ctx: Checking, { objectKey, size }: StoredObject): Promise<void> {
  const object = await ctx.storage.head(objectKey)
  if (!object) throw new AppError('file_not_found')
  requireSize(ctx, { objectKey, size }, object.size)
}

/**
 * Runs `send`, which opens an object. Once its size is found to be right, `onOpen` runs. If the
 * object ends before the range, the store is asked for its size.
 *
 * @throws {AppError} file_not_found, before the first byte
 * @throws {AppError} file_damaged, before the first byte
 * @throws the errors of `send` and of `onOpen`
 */
export async function openChecked(
  ctx: Checking,
  object: StoredObject,
  onOpen: () => Promise<void>,
  send: (onOpen: OnOpen) => Promise<void>,
): Promise<void> {
  let isOpen = false
  try {
    await send(async (actual) => {
      isOpen = true
      if (actual !== null) requireSize(ctx, object, actual)
      await onOpen()
    })
  } catch (error) {
    if (!isOpen && error instanceof WrongLength) await checkObject(ctx, object)
    throw error
  }
}

function requireSize(ctx: Checking, { objectKey, size }: StoredObject, actual: number): void {
  if (actual === size) return
  recordDamage(ctx, new DamagedObject(`${objectKey} has ${actual} bytes instead of ${size}`))
  throw new AppError('file_damaged', { expected: size, actual })
}

/**
 * Sends a range of a file after `onOpen`. If it is the whole file, its CRC-32 is compared with the
 * one of the upload, and the connection is cut before the last bytes if they differ.
 *
 * @throws {DamagedObject} the bytes differ from those that were uploaded
 * @throws the errors of `openChecked`
 */
export async function sendChecked(
  ctx: Checking,
  file: StoredObject & { crc32: number | null },
  range: ByteRange,
  to: Writable,
  onOpen: () => Promise<void>,
): Promise<void> {
  const { objectKey, size, crc32: expected } = file
  const send = () => openChecked(ctx, file, onOpen, (opened) => ctx.storage.send(objectKey, range, to, opened))
  if (expected === null || range.start > 0 || range.end < size - 1) return send()
  const damage = cutIfDamaged(to, size, expected)
  try {
    await send()
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
