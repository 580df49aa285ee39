import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Context } from '../../context.ts'
import { extendReservation, keepObject, reserveObject } from '../../db/deleted-objects.ts'
import { AppError } from '../../errors.ts'
import type { Share } from '../../shares/queries.ts'
import { queueCleanUp } from '../../shares/service.ts'
import { sliceKey } from '../../storage/slices.ts'
import { declaredType, headBytes, isContentAllowed } from '../file-types.ts'
import { asTimeout } from '../request-body.ts'
import { type Limits, reserveFiles } from '../reserve.ts'
import { PackBytes } from './pack-bytes.ts'
import { insertPack, type PackedFile } from './queries.ts'

type Storing = Pick<Context, 'db' | 'now' | 'queue' | 'storage'>

/**
 * Milliseconds until the object of a crashed request is removed: longer than the slowest connection
 * needs for a pack.
 */
const reservation = 3 * 3_600_000

/** Files below 1 MiB that are stored in one object. */
export interface Pack {
  /** A UUID. */
  id: string
  /** SHA-256 of what names the files, which tells a repeated pack from another one. */
  hash: string
  files: readonly { name: string; size: number; type?: string }[]
}

interface Receiving {
  /** Begins to write the bytes of all files, one after the other, to the given stream. */
  fill: (bytes: PackBytes) => void
  max: Limits
  /** The types that the share accepts; empty: all. */
  allowed: readonly string[]
  /** When the share counts as last used. */
  activeAt: Date
}

/** The ID of a pack or of one of its files is already used. */
export class IdUsed extends Error {}

/** Returns the ID of the file at a position of a pack: its last four digits are the position. */
export function fileIdOf({ id }: Pick<Pack, 'id'>, position: number): string {
  return id.slice(0, -4) + position.toString(16).padStart(4, '0')
}

/**
 * Stores the bytes of all files of a pack in one object, and then adds the files to the share. The
 * object is scheduled for removal until its files are in the database, so that a crash leaves none
 * behind. On failure nothing is kept.
 *
 * @throws {IdUsed}
 * @throws {AppError} file_type_not_allowed: with the position of the `file`
 * @throws {AppError} request_timeout: too few bytes came
 * @throws the errors of `reserveFiles`
 */
export async function storePack(ctx: Storing, share: Share, pack: Pack, receiving: Receiving): Promise<void> {
  const objectId = randomUUID()
  const key = `shares/${share.uid}/${objectId}`
  const until = new Date(ctx.now().getTime() + reservation)
  await reserveObject(ctx.db, key, until)
  const bytes = await write(ctx, key, pack, receiving)
  try {
    const files = packedFiles(pack, key, bytes)
    checkContents(files, bytes, receiving.allowed)
    await addToShare(ctx, share, pack, receiving, { objectId, key, until, files })
  } catch (error) {
    if (await extendReservation(ctx.db, key, until, ctx.now())) await queueCleanUp(ctx)
    throw error
  }
}

async function write({ storage }: Storing, key: string, { files }: Pack, { fill, allowed }: Receiving): Promise<PackBytes> {
  const sizes = files.map((file) => file.size)
  const bytes = new PackBytes(sizes, allowed.length > 0 ? headBytes : 0)
  const size = sizes.reduce((sum, size) => sum + size, 0)
  if (size === 0) {
    await storage.write(key, Readable.from([]))
    return bytes
  }
  fill(bytes)
  try {
    await storage.writeWhole(key, bytes, size)
    return bytes
  } catch (error) {
    throw asTimeout(error)
  }
}

function packedFiles(pack: Pack, key: string, bytes: PackBytes): PackedFile[] {
  let start = 0
  return pack.files.map(({ name, size, type }, position) => {
    const objectKey = sliceKey({ key, start, length: size }, position)
    start += size
    return { id: fileIdOf(pack, position), name, size, type: declaredType(type), crc32: bytes.files[position]?.crc32 ?? 0, objectKey }
  })
}

function checkContents(files: readonly PackedFile[], bytes: PackBytes, allowed: readonly string[]): void {
  if (allowed.length === 0) return
  for (const [position, file] of files.entries()) {
    const head = bytes.files[position]?.head
    if (head && head.length > 0 && !isContentAllowed(file, head, allowed))
      throw new AppError('file_type_not_allowed', { allowed, file: position })
  }
}

interface WrittenPack {
  objectId: string
  key: string
  /** When the object would be removed. */
  until: Date
  files: readonly PackedFile[]
}

async function addToShare(ctx: Storing, share: Share, pack: Pack, { max, activeAt }: Receiving, written: WrittenPack): Promise<void> {
  const { objectId, key, until, files } = written
  const { id, hash: manifestHash } = pack
  const names = files.map(({ name }) => name)
  const size = files.reduce((sum, file) => sum + file.size, 0)
  await ctx.db.transaction().execute(async (tx) => {
    await reserveFiles(tx, share, { names, size, max, now: activeAt })
    const row = { id, shareId: share.id, shareUid: share.uid, objectId, manifestHash, files, now: ctx.now() }
    if ((await insertPack(tx, row)) < files.length) throw new IdUsed()
    if (!(await keepObject(tx, key, until))) throw new AppError('request_timeout') // it took so long that the object is being removed
  })
}
