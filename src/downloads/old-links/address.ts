import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { consumeProbe, refuseProbers } from '../../http/probes.ts'
import { sharePagePath } from '../page-redirect.ts'
import { type OldLink, oldLinkOf } from './patterns.ts'
import { findNamedFile, findOldLink } from './queries.ts'

/**
 * Returns the present address of a link of another product from which data was imported; null if
 * the request is not one. Reads the database only for addresses that look like such links.
 *
 * @throws {AppError} too_many_requests: the caller probes links
 */
export async function addressOfOldLink(ctx: Pick<Context, 'db' | 'limiters' | 'now'>, request: FastifyRequest): Promise<string | null> {
  const link = oldLinkOf(request.url)
  if (!link) return null
  await refuseProbers(ctx, request)
  const row = await findOldLink(ctx.db, link.address, ctx.now())
  if (!row) {
    await consumeProbe(ctx, request)
    return null
  }
  if (row.token !== null) return `/upload/${row.token}`
  if (row.shareId === null) return null
  if (link.opens !== 'bytes') return sharePagePath(row.shareId, { folder: link.path })
  // The address of a file would reveal which names a locked share has.
  return row.isLocked ? sharePagePath(row.shareId) : bytesAddress(ctx, row.shareId, row.fileId, link)
}

async function bytesAddress({ db }: Pick<Context, 'db'>, shareId: string, fileId: string | null, { path, inline }: OldLink) {
  const file = fileId ?? (await findNamedFile(db, shareId, path))
  if (!file) return `/api/shares/${shareId}/files/zip`
  return `/api/shares/${shareId}/files/${file}${inline ? '?download=false' : ''}`
}
