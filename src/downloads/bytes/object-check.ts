import type { Writable } from 'node:stream'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { type ByteRange, DamagedObject, type OnOpen, WrongLength } from '../../storage/object-store.ts'
import { sendCompared } from '../../storage/streams/send-compared.ts'

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
 * one of the upload, and the connection is cut before the last bytes if they differ. A part of a
 * file has no CRC-32 that it could be compared with.
 *
 * @throws {DamagedObject} the bytes differ from those that were uploaded
 * @throws the errors of `openChecked`
 */
export function sendChecked(
  ctx: Checking,
  file: StoredObject & { crc32: number | null },
  range: ByteRange,
  to: Writable,
  onOpen: () => Promise<void>,
): Promise<void> {
  const { objectKey, size, crc32 } = file
  const send = (opened: () => Promise<void>) => openChecked(ctx, file, opened, (open) => ctx.storage.send(objectKey, range, to, open))
  if (crc32 === null || range.start > 0 || range.end < size - 1) return send(onOpen)
  return recordingDamage(ctx, () =>
    sendCompared({ key: objectKey, size, crc32 }, to, (begin) =>
      send(async () => {
        await onOpen()
        begin()
      }),
    ),
  )
}

/**
 * Runs `send`, and records in the log and the metrics when it finds a damaged object.
 *
 * @throws the errors of `send`
 */
export async function recordingDamage(ctx: Checking, send: () => Promise<void>): Promise<void> {
  try {
    await send()
  } catch (error) {
    if (error instanceof DamagedObject) recordDamage(ctx, error)
    throw error
  }
}

function recordDamage({ log, metrics }: Pick<Checking, 'log' | 'metrics'>, err: DamagedObject): void {
  metrics.record({ kind: 'storage error', operation: 'send', reason: 'damaged' })
  log.error({ err }, 'stored object is damaged')
}
