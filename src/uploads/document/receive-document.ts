import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { refusedField } from '../../http/error-handler.ts'
import { callerOf } from '../../http/guards.ts'
import { addressKey } from '../../http/networks.ts'
import { documentMinBytes, documentVersion } from '../../shares/document/limits.ts'
import { lastRevision, maxBytesFor, storeDraft } from '../../shares/document/queries.ts'
import { lockShare, type Share } from '../../shares/queries.ts'
import { idleWatch, pipeBody } from '../request-body.ts'
import { reserveRoom } from './room.ts'

/**
 * Receives the encrypted document of a share, which the server can't read, and returns its revision.
 *
 * @throws {AppError} share_not_encrypted, share_not_found, share_already_completed
 * @throws {AppError} validation_failed: it is not a document of version 1
 * @throws {AppError} document_too_large: with `max` in bytes
 * @throws {AppError} document_outdated: with the `revision` of the last document; the next one is due
 * @throws {AppError} length_required, request_timeout
 * @throws {AppError} unavailable: too many documents are being received; with `retryAfter` in seconds
 */
export async function receiveDocument({ db }: Pick<Context, 'db'>, share: Share, request: FastifyRequest): Promise<number> {
  if (!share.encrypted) throw new AppError('share_not_encrypted')
  const leave = reserveRoom((await callerOf(request))?.userId ?? addressKey(request.ip), announcedLength(share, request))
  try {
    const bytes = await wholeBody(request)
    const revision = revisionOf(bytes)
    if (await storeDraft(db, share.uid, { revision, bytes })) return revision
    throw await refusalOf(db, share, bytes)
  } finally {
    leave()
  }
}

/** Returns the length that a body announces, which its share's files allow. */
function announcedLength({ reservedFiles }: Share, { headers }: FastifyRequest): number {
  const length = headers['content-length']
  if (length === undefined) throw new AppError('length_required')
  const max = maxBytesFor(reservedFiles)
  if (Number(length) > max) throw new AppError('document_too_large', { max })
  return Number(length)
}

async function wholeBody(request: FastifyRequest): Promise<Buffer> {
  if (!(request.body instanceof Readable)) throw refusedField('', 'is empty')
  const idle = idleWatch(request)
  idle.start()
  const bytes = new PassThrough()
  pipeBody(request, bytes)
  return buffer(bytes).finally(idle.stop)
}

function revisionOf(bytes: Buffer): number {
  if (bytes.length < documentMinBytes || bytes[0] !== documentVersion) throw refusedField('', 'is not an encrypted document of version 1')
  return bytes.readUInt32BE(1)
}

async function refusalOf(db: Context['db'], { uid, id }: Share, { length }: Buffer): Promise<AppError> {
  const share = await db.transaction().execute((tx) => lockShare(tx, uid))
  if (!share) return new AppError('share_not_found')
  if (!share.uploadOpen) return new AppError('share_already_completed')
  const max = maxBytesFor(share.reservedFiles)
  if (length > max) return new AppError('document_too_large', { max })
  return new AppError('document_outdated', { revision: await lastRevision(db, id) })
}
