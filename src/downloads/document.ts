import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { sharedBytes } from '../http/shared-bytes.ts'
import { publishedDocument, publishedRevision } from '../shares/document/queries.ts'
import { evaluateConditions } from './bytes/conditions.ts'
import { documentHeaders } from './bytes/headers.ts'
import { isProtected } from './guard.ts'
import type { ShareAccess } from './queries.ts'

/**
 * Sends the encrypted document of a share to its visitor. It may have 16 MiB, so its revision is
 * looked up first.
 *
 * @throws {AppError} document_not_found
 * @throws the errors of `sharedBytes`
 */
export async function sendDocument(
  { pool, reader }: Pick<Context, 'pool' | 'reader'>,
  request: FastifyRequest,
  reply: FastifyReply,
  access: ShareAccess,
): Promise<FastifyReply> {
  const { id, uid, encrypted, completedAt } = access
  const revision = encrypted ? await publishedRevision(reader, id) : undefined
  if (revision === undefined) throw new AppError('document_not_found')
  const version = `${uid}/${revision}`
  const etag = `"${createHash('sha256').update(version).digest('base64url').slice(0, 22)}"`
  const condition = evaluateConditions(request.headers, { etag, modified: completedAt })
  reply.headers({ ...documentHeaders({ isProtected: isProtected(access) }), etag })
  if (condition !== null) return reply.code(condition).send()
  return reply.send(await sharedBytes(`document ${version}`, reply.raw, () => publishedDocument(pool, id)))
}
