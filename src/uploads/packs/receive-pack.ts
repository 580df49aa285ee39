import type { FastifyRequest } from 'fastify'
import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { refusedField } from '../../http/error-handler.ts'
import { checkUpload } from '../../shares/encryption.ts'
import type { Share } from '../../shares/queries.ts'
import { allowedTypesFor, requireType } from '../file-types.ts'
import { checkNewFile } from '../names.ts'
import { idleWatch, pipeBody } from '../request-body.ts'
import { checkFits, type Limits, limitsOf } from '../reserve.ts'
import { needRoomFor } from '../room.ts'
import type { PackManifest, StoredPack } from './contract.ts'
import { type ReadManifest, readManifest } from './manifest.ts'
import type { PackBytes } from './pack-bytes.ts'
import { findPack } from './queries.ts'
import { fileIdOf, IdUsed, storePack } from './store-pack.ts'

type Storing = Pick<Context, 'db' | 'env' | 'now' | 'queue' | 'storage'>

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
    const max = await limitsOf(ctx, share)
    checkFits(share, { ...totalsOf(pack), max })
    await needRoomFor(ctx, pack.size)
    await store(ctx, share, pack, { request, allowed, max })
    return storedPack(pack.manifest)
  } finally {
    idle.stop()
  }
}

/** Returns what is reserved for a pack. */
function totalsOf({ manifest, size }: ReadManifest) {
  return { size, names: manifest.files.map(({ name }) => name) }
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

async function store(
  ctx: Storing,
  share: Share,
  pack: ReadManifest,
  { request, allowed, max }: { request: FastifyRequest; allowed: readonly string[]; max: Limits },
): Promise<void> {
  const { manifest, hash } = pack
  const fill = (bytes: PackBytes) => pipeBody(request, bytes)
  try {
    await storePack(ctx, share, { ...manifest, hash }, { fill, max, allowed, activeAt: ctx.now() })
  } catch (error) {
    if (!(error instanceof IdUsed)) throw error
    if (!(await hasArrived(ctx, share, pack))) throw idTaken() // else a concurrent request has stored it
  }
}
