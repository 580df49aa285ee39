import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { pictureHeaders } from '../downloads/bytes/headers.ts'
import { checkObject, openChecked } from '../downloads/bytes/object-check.ts'
import { sendBytes } from '../downloads/bytes/send-bytes.ts'
import { hasUsedDownload } from '../downloads/counting/queries.ts'
import { byteViewerOf, isProtected, type Viewer } from '../downloads/guard.ts'
import { visitorOf } from '../downloads/visitor.ts'
import { AppError } from '../errors.ts'
import { isUuid } from '../http/formats.ts'
import { endpoints } from '../http/route.ts'
import { ObjectMissing } from '../storage/object-store.ts'
import { previewsContract } from './contract.ts'
import { type FoundPreview, previewOf, renewPreview } from './queries.ts'

type Picture = 'thumbnail' | 'preview'
interface FileParams {
  id: string
  fileId: string
}

/** Registers the calls for pictures of a share's files. */
export function previewsRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, previewsContract)
  on('GET /api/shares/:id/files/:fileId/thumbnail', {}, (request, reply) => sendPicture(ctx, request, reply, request.params, 'thumbnail'))
  on('GET /api/shares/:id/files/:fileId/preview', {}, (request, reply) => sendPicture(ctx, request, reply, request.params, 'preview'))
}

async function sendPicture(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, fileId }: FileParams,
  picture: Picture,
): Promise<void> {
  const viewer = await byteViewerOf(ctx, request, id)
  await requireEntered(ctx, request, viewer)
  const found = isUuid(fileId) ? await previewOf(ctx.reader, viewer.access.id, fileId, picture) : undefined
  if (!found) throw new AppError('file_not_found')
  const { objectKey, size, createdAt: modified, name } = found
  const object = { objectKey, size }
  await sendBytes(request, reply, {
    size,
    modified,
    etag: `"${objectKey.split('/').at(-1)}"`,
    headers: pictureHeaders(name, { isProtected: isProtected(viewer.access) }),
    check: () => renewIfLost(ctx, fileId, found, () => checkObject(ctx, object)),
    send: (range, to, onOpen) =>
      renewIfLost(ctx, fileId, found, () => openChecked(ctx, object, onOpen, (opened) => ctx.storage.send(objectKey, range, to, opened))),
  })
}

/**
 * Pictures use no view, so those of a share whose views are limited are only for visitors who have
 * used one. Once all downloads are used up, they are only for visitors who have used one of these.
 *
 * @throws {AppError} share_max_views_exceeded, share_max_downloads_exceeded, share_token_required
 */
async function requireEntered(ctx: Context, request: FastifyRequest, viewer: Viewer): Promise<void> {
  const { access, by } = viewer
  const isUsedUp = access.maxDownloads !== null && access.downloads >= access.maxDownloads
  if (by !== 'owner' && isUsedUp && !(await hasUsedDownload(ctx.db, access, visitorOf(ctx, request, viewer))))
    throw new AppError('share_max_downloads_exceeded')
  if (by !== 'public' || !access.viewsLimited) return
  throw new AppError(access.viewsLeft ? 'share_token_required' : 'share_max_views_exceeded')
}

/** Runs `work`, and lets the preview be made again if its object is missing. */
async function renewIfLost(ctx: Context, fileId: string, { objectKey }: FoundPreview, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isLost = error instanceof ObjectMissing || (error instanceof AppError && error.code === 'file_not_found')
    if (isLost) await renewPreview(ctx.db, fileId, objectKey.replace(/-[a-z]+$/, ''))
    throw error
  }
}
