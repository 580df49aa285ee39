import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { isUuid } from '../http/formats.ts'
import { withTimeout } from '../process/in-time.ts'
import { isEdited } from '../shares/editing/editing.ts'
import { checkUpload } from '../shares/encryption.ts'
import type { Right } from '../shares/owner.ts'
import { bumpRevision, lockShare, type Share } from '../shares/queries.ts'
import { prepareZip, queueCleanUp } from '../shares/service.ts'
import type { Upload } from '../storage/object-store.ts'
import { partCount } from '../storage/parts.ts'
import { markStored } from './complete.ts'
import type { NewFile, OpenedFile } from './contract.ts'
import { checkContent, checkFileType, declaredType } from './file-types.ts'
import { checkNameFor, checkNewFile } from './names.ts'
import { allowsDirect } from './parts/direct.ts'
import { maxParts, partSizeFor } from './parts/part-size.ts'
import type { File } from './queries.ts'
import * as queries from './queries.ts'
import { limitsOf, namesTooLong, reserveFile, reserveOpenFile } from './reserve.ts'
import { keepIfRoom } from './room.ts'

const ABORT_TIMEOUT = 3_000 // ms

type Uploading = Pick<Context, 'db' | 'env' | 'now' | 'queue' | 'storage'>

/**
 * Announces a file and reserves its size. An empty file is complete at once. On failure, nothing is
 * kept.
 *
 * @throws {AppError} encryption_required
 * @throws {AppError} file_name_invalid
 * @throws {AppError} file_type_not_allowed
 * @throws {AppError} share_too_large: its parts would exceed the store's limit
 * @throws {StoreFull}
 * @throws the errors of `reserveOpenFile`
 */
export async function announce(ctx: Uploading, share: Share, input: NewFile): Promise<OpenedFile> {
  checkUpload(await readSettings(ctx), share)
  checkNewFile(share, input)
  await checkFileType(ctx.db, share, input)
  const { name, size } = input
  const partSize = partSizeFor(size)
  const { maxPartSize = Number.POSITIVE_INFINITY } = ctx.storage
  if (partSize > maxPartSize) throw new AppError('share_too_large', { max: maxPartSize * maxParts })
  const id = randomUUID()
  const file = {
    id,
    shareId: share.id,
    name,
    size,
    type: declaredType(input.type),
    objectKey: `shares/${share.uid}/${id}`,
    partSize,
    partCount: partCount({ size, partSize }),
    createdAt: ctx.now(),
  }
  const max = await limitsOf(ctx, share)
  await ctx.db.transaction().execute(async (tx) => {
    await reserveOpenFile(tx, share, { name, size, max, now: ctx.now() })
    await queries.insertFiles(tx, [file])
  })
  if (size > 0) await keepIfRoom(ctx, share, id)
  try {
    await openInStore(ctx, file)
  } catch (error) {
    await deleteOrMark(ctx, share, id, 'now')
    throw error
  }
  return { id, name, size, partSize, partCount: file.partCount, direct: allowsDirect(ctx, file) }
}

/**
 * Runs after the commit, because the store is slow. If the file was deleted meanwhile, what was
 * created in the store is removed.
 */
async function openInStore(ctx: Uploading, { id, objectKey, size, partSize }: Pick<File, 'id' | 'objectKey' | 'size' | 'partSize'>) {
  if (size === 0) {
    await ctx.storage.write(objectKey, Readable.from([]))
    await queries.closeLedger(ctx.db, id, 0)
    return markStored(ctx, { id, objectKey })
  }
  const uploadId = await ctx.storage.begin(objectKey, size, partSize)
  if (await queries.recordUploadId(ctx.db, id, uploadId)) return
  await ctx.storage.abort({ key: objectKey, id: uploadId })
  throw new AppError('share_not_found')
}

/**
 * Finds a file of this share.
 *
 * @throws {AppError} file_not_found: it was deleted, or belongs to another share
 */
export async function findFile(db: Db, shareId: string, id: string): Promise<File> {
  const file = isUuid(id) ? await queries.fileOf(db, shareId, id) : undefined
  if (!file || file.removedAt) throw new AppError('file_not_found')
  return file
}

/**
 * Deletes a file or aborts its upload; its bytes are removed within a minute. While the sender
 * edits the share, visitors see the file until the edits are saved. A recipient's deletion takes
 * effect immediately.
 *
 * @throws {AppError} file_not_found
 */
export async function removeFile(ctx: Uploading, share: Share, right: Right, id: string): Promise<void> {
  const when = right === 'receiver' ? 'now' : 'on save'
  if (!isUuid(id) || !(await deleteOrMark(ctx, share, id, when))) throw new AppError('file_not_found')
}

async function deleteOrMark(ctx: Uploading, { uid }: Share, id: string, when: 'now' | 'on save'): Promise<boolean> {
  const { 'share.zipCompressionLevel': level } = await readSettings(ctx)
  const change = await ctx.db.transaction().execute(async (tx) => {
    const share = await lockShare(tx, uid)
    const file = share && (await queries.fileOf(tx, share.id, id))
    if (!file) return null
    if (when === 'on save' && file.published && isEdited(share)) {
      const marked = await queries.markRemoved(tx, id, ctx.now())
      if (marked) await queries.releaseFile(tx, uid, marked)
      return marked ? { share: null, upload: null } : null
    }
    const deleted = await queries.deleteFile(tx, share.id, id)
    if (!deleted) return null
    if (!deleted.removedAt) await queries.releaseFile(tx, uid, deleted)
    const byReceiver = when === 'now'
    const changed = deleted.published ? await bumpRevision(tx, uid, { zip: level > 0, now: ctx.now(), byReceiver }) : null
    return { share: changed, upload: file.uploadId === null ? null : { key: file.objectKey, id: file.uploadId } }
  })
  if (!change) return false
  if (change.upload) await abortSoon(ctx, change.upload)
  if (change.share) await prepareZip(ctx, change.share)
  await queueCleanUp(ctx)
  return true
}

/**
 * Frees the room of an open upload now; the clean-up does so later if the store doesn't respond.
 */
async function abortSoon({ storage }: Uploading, upload: Pick<Upload, 'key' | 'id'>): Promise<void> {
  await withTimeout(storage.abort(upload), ABORT_TIMEOUT).catch(() => {})
}

/**
 * Restores a file that would be deleted when the edits are saved, with its latest name.
 *
 * @throws {AppError} file_not_found
 * @throws the errors of `reserveFile`: its bytes or its place have been used meanwhile
 */
export async function restoreFile(ctx: Uploading, share: Share, id: string): Promise<Pick<File, 'id' | 'name' | 'size'>> {
  const max = await limitsOf(ctx, share)
  return ctx.db.transaction().execute(async (tx) => {
    const locked = await lockShare(tx, share.uid)
    const file = locked && isUuid(id) ? await queries.unmarkRemoved(tx, locked.id, id) : undefined
    if (!file) throw new AppError('file_not_found')
    const { size, name, pendingName } = file
    await reserveFile(tx, share, { name: pendingName ?? name, size, max, now: ctx.now() })
    return { id, size, name: pendingName ?? name }
  })
}

/**
 * Renames a file. Visitors see the new name immediately or, while the share is being edited, once
 * the edits are saved.
 *
 * @throws {AppError} file_name_invalid
 * @throws {AppError} file_type_not_allowed
 * @throws {AppError} file_not_found
 */
export async function renameFile(ctx: Uploading, share: Share, id: string, name: string): Promise<File> {
  checkNameFor(share, name)
  const found = await findFile(ctx.db, share.id, id)
  await checkFileType(ctx.db, share, { ...found, name })
  if (found.completedAt) await checkContent(ctx, share, { ...found, name })
  const { 'share.zipCompressionLevel': level } = await readSettings(ctx)
  const max = await limitsOf(ctx, share)
  const { file, changed } = await ctx.db.transaction().execute(async (tx) => {
    const locked = await lockShare(tx, share.uid)
    if (!locked) throw new AppError('share_not_found')
    const file = await findFile(tx, locked.id, id)
    const onSave = file.published && isEdited(locked)
    await queries.renameFile(tx, id, onSave ? { pendingName: name === file.name ? null : name } : { name })
    const isLonger = Buffer.byteLength(name) > Buffer.byteLength(file.pendingName ?? file.name)
    if (isLonger && (await queries.nameBytesOf(tx, locked.id)) > max.nameBytes) throw namesTooLong(max)
    const isVisible = file.published && !onSave
    return { file, changed: isVisible ? await bumpRevision(tx, locked.uid, { zip: level > 0, now: ctx.now() }) : null }
  })
  if (changed) await prepareZip(ctx, changed)
  return { ...file, name }
}
