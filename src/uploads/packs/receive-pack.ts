import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { extendReservation, keepObject, reserveObject } from '../../db/deleted-objects.ts'
import { AppError } from '../../errors.ts'
import { refusedField } from '../../http/error-handler.ts'
import { checkUpload } from '../../shares/encryption.ts'
import type { Share } from '../../shares/queries.ts'
import { queueCleanUp } from '../../shares/service.ts'
import { sliceKey } from '../../storage/slices.ts'
import { allowedTypesFor, declaredType, headBytes, isContentAllowed, requireType } from '../file-types.ts'
import { checkNewFile } from '../names.ts'
import { asTimeout, idleWatch, pipeBody } from '../request-body.ts'
import { checkFits, limitsOf, reserveFiles } from '../reserve.ts'
import { needRoomFor } from '../room.ts'
import type { PackManifest, StoredPack } from './contract.ts'
import { type ReadManifest, readManifest } from './manifest.ts'
import { PackBytes } from './pack-bytes.ts'
import { findPack, insertPack, type PackedFile } from './queries.ts'

type Storing = Pick<Context, 'db' | 'env' | 'now' | 'queue' | 'storage'>

/**
 * Milliseconds until the object of a crashed request is removed: longer than the slowest connection
 * needs for a pack.
 */
const reservation = 3 * 3_600_000

/**
 * Receives a pack: stores the bytes of all its files in one object, and then adds the files to the
 * share. On failure nothing is kept. A pack that has already arrived is not stored again.
 *
 * @throws {AppError} validation_failed: with the path `id` if another pack or file has it
 * @throws {AppError} encryption_required
 * @throws {AppError} file_name_invalid: with the position of the `file`
 * @throws {AppError} file_type_not_allowed: with the position of the `file`
 * @throws {AppError} request_timeout: the body was cut or stalled
 * @throws {StoreFull}
 * @throws the errors of `readManifest` and `reserveFiles`
 */
export async function receivePack(ctx: Storing, share: Share, request: FastifyRequest): Promise<StoredPack> {
  const idle = idleWatch(request)
  idle.start()
  try {
    const pack = await readManifest(request)
    if (await hasArrived(ctx, share, pack)) return storedPack(pack.manifest)
    const allowed = await allowedTypesFor(ctx.db, share)
    checkUpload(await readSettings(ctx), share)
    checkFiles(share, pack.manifest, allowed)
    checkFits(share, { ...totalsOf(pack), max: await limitsOf(ctx, share) })
    await needRoomFor(ctx, pack.size)
    await store(ctx, share, pack, { request, allowed })
    return storedPack(pack.manifest)
  } finally {
    idle.stop()
  }
}

/** Returns what is reserved for a pack. */
function totalsOf({ manifest, size }: ReadManifest) {
  return { size, names: manifest.files.map(({ name }) => name) }
}

/** Returns the ID of the file at a position of a pack: its last four digits are the position. */
function fileIdOf({ id }: PackManifest, position: number): string {
  return id.slice(0, -4) + position.toString(16).padStart(4, '0')
}

function storedPack(manifest: PackManifest): StoredPack {
  return { files: manifest.files.map(({ name, size }, position) => ({ id: fileIdOf(manifest, position), name, size })) }
}

async function hasArrived({ db }: Storing, { uid }: Share, { manifest, hash }: ReadManifest): Promise<boolean> {
  const pack = await findPack(db, manifest.id)
  if (pack && (pack.shareUid !== uid || pack.manifestHash !== hash)) throw idTaken()
  return pack !== undefined
}

function idTaken(): AppError {
  return refusedField('id', 'is already used by another pack or file', 'unique')
}

function checkFiles(share: Share, { files }: PackManifest, allowed: readonly string[]): void {
  for (const [position, file] of files.entries()) {
    atPosition(position, () => {
      checkNewFile(share, file)
      requireType(file, allowed)
    })
  }
}

/** Adds the file's position to the details of an error that `check` throws. */
function atPosition(position: number, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new AppError(error.code, { ...error.details, file: position })
  }
}

/**
 * Writes the object, which is scheduled for removal until its files are in the database, so that a
 * crash leaves none behind.
 */
async function store(
  ctx: Storing,
  share: Share,
  pack: ReadManifest,
  { request, allowed }: { request: FastifyRequest; allowed: readonly string[] },
): Promise<void> {
  const objectId = randomUUID()
  const key = `shares/${share.uid}/${objectId}`
  const until = new Date(ctx.now().getTime() + reservation)
  await reserveObject(ctx.db, key, until)
  const bytes = await write(ctx, key, pack, { request, headLength: allowed.length > 0 ? headBytes : 0 })
  try {
    const files = packedFiles(pack.manifest, key, bytes)
    checkContents(files, bytes, allowed)
    await addToShare(ctx, share, pack, { objectId, key, until, files })
  } catch (error) {
    if (await extendReservation(ctx.db, key, until, ctx.now())) await queueCleanUp(ctx)
    if (error instanceof IdUsed && (await hasArrived(ctx, share, pack))) return // a concurrent request has stored it
    throw error instanceof IdUsed ? idTaken() : error
  }
}

async function write(
  { storage }: Storing,
  key: string,
  { manifest, size }: ReadManifest,
  { request, headLength }: { request: FastifyRequest; headLength: number },
): Promise<PackBytes> {
  const bytes = new PackBytes(
    manifest.files.map((file) => file.size),
    headLength,
  )
  if (size === 0) {
    await storage.write(key, Readable.from([]))
    return bytes
  }
  pipeBody(request, bytes)
  try {
    await storage.writeWhole(key, bytes, size)
    return bytes
  } catch (error) {
    throw asTimeout(error)
  }
}

function packedFiles(manifest: PackManifest, key: string, bytes: PackBytes): PackedFile[] {
  let start = 0
  return manifest.files.map(({ name, size, type }, position) => {
    const objectKey = sliceKey({ key, start, length: size }, position)
    start += size
    return { id: fileIdOf(manifest, position), name, size, type: declaredType(type), crc32: bytes.files[position]?.crc32 ?? 0, objectKey }
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

/** The ID of a pack or of one of its files is already used. */
class IdUsed extends Error {}

interface WrittenPack {
  objectId: string
  key: string
  /** When the object would be removed. */
  until: Date
  files: readonly PackedFile[]
}

/** @throws {IdUsed} */
async function addToShare(ctx: Storing, share: Share, pack: ReadManifest, { objectId, key, until, files }: WrittenPack): Promise<void> {
  const now = ctx.now()
  const max = await limitsOf(ctx, share)
  const { id } = pack.manifest
  await ctx.db.transaction().execute(async (tx) => {
    await reserveFiles(tx, share, { ...totalsOf(pack), max, now })
    const row = { id, shareId: share.id, shareUid: share.uid, objectId, manifestHash: pack.hash, files, now }
    if ((await insertPack(tx, row)) < files.length) throw new IdUsed()
    if (!(await keepObject(tx, key, until))) throw new AppError('request_timeout') // it took so long that the object is being removed
  })
}
