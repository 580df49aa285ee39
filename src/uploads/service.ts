import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/schema.ts'
import { AppError } from '../errors.ts'
import { isUuid } from '../http/formats.ts'
import { isEdited } from '../shares/editing/editing.ts'
import type { Right } from '../shares/owner.ts'
import { bumpRevision, lockShare, type Share } from '../shares/queries.ts'
import { prepareZip, queueCleanUp } from '../shares/service.ts'
import { partCount } from '../storage/parts.ts'
import { markStored } from './complete.ts'
import type { NewFile, OpenedFile } from './contract.ts'
import { checkContent, checkFileType, declaredType } from './file-types.ts'
import { checkFileName } from './names.ts'
import { allowsDirect } from './parts/direct.ts'
import { partSizeFor } from './parts/part-size.ts'
import type { File } from './queries.ts'
import * as queries from './queries.ts'
import { limitsOf, reserveFile, reserveOpenFile } from './reserve.ts'
import { keepIfRoom } from './room.ts'

type Uploading = Pick<Context, 'db' | 'env' | 'now' | 'queue' | 'storage'>

/**
 * Announces a file and reserves its size; an empty one is whole at once. Throws `file_name_invalid`, `file_type_not_allowed`, `share_already_completed`,
 * `share_too_large` with `max` in bytes for all files of the share, StoreFull; then nothing is left of it.
 */
export async function announce(ctx: Uploading, share: Share, input: NewFile): Promise<OpenedFile> {
  checkFileName(input.name)
  await checkFileType(ctx.db, share, input)
  const { name, size } = input
  const partSize = partSizeFor(size)
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
    await reserveOpenFile(tx, share, { size, max, now: ctx.now() })
    await queries.insertFiles(tx, [file])
  })
  if (size > 0) await keepIfRoom(ctx, share, id)
  try {
    await openInStore(ctx, file)
  } catch (error) {
    await takeBack(ctx, share, id, 'at once')
    throw error
  }
  return { id, name, size, partSize, partCount: file.partCount, direct: allowsDirect(ctx, file) }
}

/** After the commit: the store is slow, and no transaction waits for it. Whatever it made goes again when the file was deleted meanwhile. */
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

/** A file of this share. Throws `file_not_found`, for other shares' files too. */
export async function findFile(db: Db, shareId: string, id: string): Promise<File> {
  const file = isUuid(id) ? await queries.fileOf(db, shareId, id) : undefined
  if (!file || file.removedAt) throw new AppError('file_not_found')
  return file
}

/**
 * Removes a file, or aborts its upload; the bytes follow within a minute. Visitors see it gone at once; of a share that is being edited when that is saved,
 * but who received the share does not wait for its sender. Throws `file_not_found`.
 */
export async function removeFile(ctx: Uploading, share: Share, right: Right, id: string): Promise<void> {
  const when = right === 'receiver' ? 'at once' : 'when saved'
  if (!isUuid(id) || !(await takeBack(ctx, share, id, when))) throw new AppError('file_not_found')
}

async function takeBack(ctx: Uploading, { uid }: Share, id: string, when: 'at once' | 'when saved'): Promise<boolean> {
  const { 'share.zipCompressionLevel': level } = await readSettings(ctx)
  const change = await ctx.db.transaction().execute(async (tx) => {
    const share = await lockShare(tx, uid)
    const file = share && (await queries.fileOf(tx, share.id, id))
    if (!file) return null
    if (when === 'when saved' && file.published && isEdited(share)) {
      const marked = await queries.markRemoved(tx, id, ctx.now())
      if (marked) await queries.releaseFile(tx, uid, marked.size)
      return marked ? { share: null } : null
    }
    const deleted = await queries.deleteFile(tx, share.id, id)
    if (!deleted) return null
    if (!deleted.removedAt) await queries.releaseFile(tx, uid, deleted.size)
    const byReceiver = when === 'at once'
    return { share: deleted.published ? await bumpRevision(tx, uid, { zip: level > 0, now: ctx.now(), byReceiver }) : null }
  })
  if (!change) return false
  if (change.share) await prepareZip(ctx, change.share)
  await queueCleanUp(ctx)
  return true
}

/**
 * Keeps a file after all that was to go when the share is saved, by the name that it was given last. Throws `file_not_found`, and `share_too_large` when its
 * room has been used meanwhile.
 */
export async function restoreFile(ctx: Uploading, share: Share, id: string): Promise<Pick<File, 'id' | 'name' | 'size'>> {
  const max = await limitsOf(ctx, share)
  return ctx.db.transaction().execute(async (tx) => {
    const locked = await lockShare(tx, share.uid)
    const file = locked && isUuid(id) ? await queries.unmarkRemoved(tx, locked.id, id) : undefined
    if (!file) throw new AppError('file_not_found')
    const { size, name, pendingName } = file
    await reserveFile(tx, share, { size, max, now: ctx.now() })
    return { id, size, name: pendingName ?? name }
  })
}

/**
 * Names a file anew. Visitors see it at once; of a share that is being edited when that is saved. Throws `file_name_invalid`, `file_type_not_allowed`,
 * `file_not_found`.
 */
export async function renameFile(ctx: Uploading, share: Share, id: string, name: string): Promise<File> {
  checkFileName(name)
  const found = await findFile(ctx.db, share.id, id)
  await checkFileType(ctx.db, share, { ...found, name })
  if (found.completedAt) await checkContent(ctx, share, { ...found, name })
  const { 'share.zipCompressionLevel': level } = await readSettings(ctx)
  const { file, changed } = await ctx.db.transaction().execute(async (tx) => {
    const locked = await lockShare(tx, share.uid)
    if (!locked) throw new AppError('share_not_found')
    const file = await findFile(tx, locked.id, id)
    const later = file.published && isEdited(locked)
    await queries.renameFile(tx, id, later ? { pendingName: name === file.name ? null : name } : { name })
    const shown = file.published && !later
    return { file, changed: shown ? await bumpRevision(tx, locked.uid, { zip: level > 0, now: ctx.now() }) : null }
  })
  if (changed) await prepareZip(ctx, changed)
  return { ...file, name }
}
