import type { FastifyRequest } from 'fastify'
import { type RecordingLinks, recordUploadLink } from '../../activity/upload-links.ts'
import type { Db } from '../../db/schema.ts'
import { AppError, type ErrorCode } from '../../errors.ts'
import { linkPattern } from '../limits.ts'
import type { Share } from '../queries.ts'
import { closedReverseShare } from './queries.ts'

const tokenShape = new RegExp(linkPattern)

type RecordingContext = RecordingLinks & { db: Db }

/** The refusals that the owner of an upload link sees. */
const refusals = new Set<ErrorCode>([
  'wrong_password',
  'share_too_large',
  'too_many_files',
  'file_type_not_allowed',
  'storage_quota_exceeded',
  'reverse_share_full',
])

/**
 * Records that a share is sent through an upload link, or was received. Does nothing for a share that
 * came another way.
 */
export function recordSent(ctx: RecordingLinks, request: FastifyRequest, kind: 'begun' | 'received', share: Share): void {
  const { reverseShareId, id: shareId, senderName, senderEmail, reservedFiles: files, size: bytes } = share
  if (reverseShareId === null) return
  recordUploadLink(ctx, request, reverseShareId, { kind, shareId, senderName, senderEmail, ...(kind === 'received' && { files, bytes }) })
}

/** Records that a visitor has used an upload link that is closed, if it exists. */
export async function recordClosed(ctx: RecordingContext, request: FastifyRequest, token: string): Promise<void> {
  const closed = tokenShape.test(token) ? await closedReverseShare(ctx.db, token, ctx.now()) : undefined
  if (closed) recordUploadLink(ctx, request, closed.id, { kind: 'refused', reason: closed.reason })
}

/**
 * Runs `work`, and records for the owner of the upload link that a visitor, or a file of a share, was
 * refused.
 * @throws the errors of `work`
 */
export async function recordingRefusal<T>(
  ctx: RecordingLinks,
  request: FastifyRequest,
  { reverseShareId, receiverId }: Pick<Share, 'reverseShareId' | 'receiverId'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (reverseShareId !== null && receiverId !== null && error instanceof AppError && refusals.has(error.code))
      recordUploadLink(ctx, request, reverseShareId, { kind: 'refused', reason: error.code })
    throw error
  }
}
