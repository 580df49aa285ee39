import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { refusedField } from '../../http/error-handler.ts'
import { isUuid } from '../../http/formats.ts'
import { checkUpload } from '../../shares/encryption.ts'
import { lockShare, type Share } from '../../shares/queries.ts'
import { completeFile, markStored } from '../complete.ts'
import { checkFileType } from '../file-types.ts'
import type { ChunkQuery } from '../form/contract.ts'
import { insertChunked, recordGrowth } from '../form/queries.ts'
import { checkNameFor } from '../names.ts'
import { checkContentRange } from '../parts/content-range.ts'
import { maxParts } from '../parts/part-size.ts'
import { storePart } from '../parts/receive-part.ts'
import type { File } from '../queries.ts'
import * as queries from '../queries.ts'
import { type Limits, limitsOf, reserveBytes, reserveOpenFile } from '../reserve.ts'
import { keepIfRoom } from '../room.ts'
import { findFile, removeFile } from '../service.ts'
import { type ChunkBody, chunkBody } from './chunk-body.ts'

type Uploading = Pick<Context, 'db' | 'env' | 'now' | 'queue' | 'storage'>

/** The chunk size in bytes of clients from before 2024, which ignore `share.chunkSize`. */
const legacyChunkSize = 10_485_760

interface Chunk extends Required<ChunkQuery> {
  isLast: boolean
}

/**
 * Receives the next chunk of a file. The first chunk has the current `share.chunkSize`, or the size
 * that its client was built with. All later chunks of the file but the last must have the same
 * size, even if the setting changes. The last chunk may be sent again. On failure, the chunk is not
 * kept.
 *
 * @throws {AppError} unexpected_chunk_index: with `expectedChunkIndex`
 * @throws {AppError} wrong_chunk_size: with `expected`
 * @throws {AppError} payload_too_large
 * @throws the errors of `announce`, `chunkBody` and `storePart`
 */
export async function receiveChunk(ctx: Uploading, share: Share, query: ChunkQuery, request: FastifyRequest): Promise<File> {
  const chunk = { ...query, id: (query.id ?? '').toLowerCase(), isLast: query.chunkIndex === query.totalChunks - 1 }
  await checkChunk(ctx, share, chunk)
  const { 'share.chunkSize': chunkSize } = await readSettings(ctx)
  const existing = chunk.id ? await queries.fileOf(ctx.db, share.id, chunk.id) : undefined
  const maxLength = existing ? existing.partSize : Math.max(chunkSize, legacyChunkSize)
  const content = await chunkBody(request, maxLength, ctx.env.dataDir)
  try {
    if (!existing) checkFirst(content, chunk, chunkSize)
    checkContentRange(request, { start: chunk.chunkIndex * (existing?.partSize ?? content.length), length: content.length })
    const max = await limitsOf(ctx, share)
    const file = await ctx.db.transaction().execute((tx) => admit(tx, share, chunk, { content, max, now: ctx.now() }))
    if (!file.completedAt) await storeChunk(ctx, share, file, chunk, content, request)
    return file
  } finally {
    await content.release()
  }
}

async function checkChunk(ctx: Uploading, share: Share, { id, name, chunkIndex, totalChunks }: Chunk): Promise<void> {
  if (id && !isUuid(id)) throw refusedField('id', 'must be a UUID')
  if (chunkIndex >= totalChunks) throw refusedField('chunkIndex', 'must be less than totalChunks')
  if (totalChunks > maxParts) throw refusedField('totalChunks', `must be at most ${maxParts}`)
  checkUpload(await readSettings(ctx), share)
  checkNameFor(share, name)
  await checkFileType(ctx.db, share, { name })
}

/** Checks the first chunk of a file, which determines the size of the others. */
function checkFirst({ length, isText }: ChunkBody, { chunkIndex, isLast }: Chunk, chunkSize: number): void {
  if (chunkIndex !== 0) throw unexpected(0)
  if (!isLast && length !== chunkSize && !(isText && length === legacyChunkSize))
    throw new AppError('wrong_chunk_size', { expected: chunkSize })
}

interface Admission {
  content: ChunkBody
  max: Limits
  now: Date
}

/**
 * Reserves the chunk and returns its file, which may be complete if this is its last chunk again.
 */
async function admit(tx: Db, share: Share, chunk: Chunk, { content: { length }, max, now }: Admission): Promise<File> {
  const { id, chunkIndex, totalChunks, isLast } = chunk
  const locked = await lockShare(tx, share.uid)
  if (!locked) throw new AppError('share_not_found')
  if (!locked.uploadOpen) throw new AppError('share_already_completed')
  const file = id ? await queries.fileOf(tx, locked.id, id) : undefined
  if (file && (file.removedAt || file.chunks === null)) throw new AppError('file_not_found')
  if (file && file.chunks !== totalChunks) throw refusedField('totalChunks', `was ${file.chunks} before`)
  const arrived = !file ? 0 : file.completedAt ? totalChunks : await queries.countParts(tx, file.id)
  const expected = Math.min(arrived, totalChunks - 1)
  if (chunkIndex !== expected) throw unexpected(expected)
  if (file && arrived === totalChunks) return file
  const partSize = file?.partSize ?? Math.max(length, 1)
  if (length > partSize) throw new AppError('payload_too_large')
  if (!isLast && length !== partSize) throw new AppError('wrong_chunk_size', { expected: partSize })
  const size = chunkIndex * partSize + length
  if ((totalChunks - 1) * partSize > max.size) throw new AppError('share_too_large', { max: max.size })
  if (file) await reserveBytes(tx, locked, { size: size - file.size, max, now })
  else await reserveOpenFile(tx, locked, { name: chunk.name, size, max, now })
  const values = { size, partCount: Math.ceil(size / partSize) }
  if (file) return recordGrowth(tx, file.id, values)
  return insert(tx, locked, chunk, { ...values, partSize, createdAt: now })
}

/** Inserts the file. Throws `file_not_found` if the ID belongs to a file of another share. */
async function insert(
  tx: Db,
  share: Share,
  { id, name, totalChunks }: Chunk,
  values: Pick<File, 'size' | 'partCount' | 'partSize' | 'createdAt'>,
) {
  const fileId = id || randomUUID()
  const row = { ...values, id: fileId, shareId: share.id, name, chunks: totalChunks, objectKey: `shares/${share.uid}/${fileId}` }
  const file = await insertChunked(tx, row)
  if (!file) throw new AppError('file_not_found')
  return file
}

/**
 * Stores a chunk, and joins all chunks after the last. If the first chunk fails, its file is
 * deleted, as its client starts over.
 */
async function storeChunk(
  ctx: Uploading,
  share: Share,
  file: File,
  chunk: Chunk,
  content: ChunkBody,
  request: FastifyRequest,
): Promise<void> {
  try {
    const open = await openInStore(ctx, share, file, chunk)
    if (content.length > 0 && open.crc32 === null) await storeBytes(ctx, open, chunk, content, request)
    if (chunk.isLast) await completeFile(ctx, share, await findFile(ctx.db, share.id, file.id))
  } catch (error) {
    const isEmpty = chunk.chunkIndex === 0 && (await queries.countParts(ctx.db, file.id)) === 0
    if (isEmpty) await removeFile(ctx, share, 'owner', file.id).catch(() => {}) // the first error is more useful
    throw error
  }
}

/**
 * Opens the upload in the store unless it is open, and returns the file. An empty file is complete
 * at once.
 */
async function openInStore(ctx: Uploading, share: Share, file: File, { totalChunks }: Chunk): Promise<File> {
  if (file.uploadId || file.completedAt) return file
  const { id, objectKey, size, partSize } = file
  if (size === 0) {
    await ctx.storage.write(objectKey, Readable.from([]))
    await queries.closeLedger(ctx.db, id, 0)
    await markStored(ctx, file)
    return findFile(ctx.db, file.shareId, id)
  }
  await keepIfRoom(ctx, share, id)
  // The length of the last chunk is unknown, but at most that of the others.
  const uploadId = await ctx.storage.begin(objectKey, totalChunks * partSize, partSize)
  if (await queries.recordUploadId(ctx.db, id, uploadId)) return { ...file, uploadId }
  await ctx.storage.abort({ key: objectKey, id: uploadId })
  const current = await queries.fileOf(ctx.db, file.shareId, id)
  if (!current?.uploadId && !current?.completedAt) throw new AppError('file_not_found')
  return current
}

/**
 * Ignores `file_already_complete` for the last chunk: a concurrent request may have sent it and
 * joined all chunks.
 */
async function storeBytes(ctx: Uploading, file: File, chunk: Chunk, { body, length }: ChunkBody, request: FastifyRequest): Promise<void> {
  const number = chunk.chunkIndex + 1
  try {
    const stored = await storePart(ctx, file, number, body, length, request)
    await queries.recordPart(ctx.db, file.id, { number, size: length, ...stored })
  } catch (error) {
    if (!(chunk.isLast && error instanceof AppError && error.code === 'file_already_complete')) throw error
  }
}

function unexpected(expectedChunkIndex: number): AppError {
  return new AppError('unexpected_chunk_index', { expectedChunkIndex })
}
