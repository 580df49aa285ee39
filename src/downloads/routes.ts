import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Recording } from '../activity/recorder.ts'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { isUuid } from '../http/formats.ts'
import { endpoints } from '../http/route.ts'
import { storeAddress, validatorsOf } from './bytes/direct.ts'
import { fileHeaders, zipHeaders } from './bytes/headers.ts'
import { checkObject, sendChecked } from './bytes/object-check.ts'
import { sendBytes } from './bytes/send-bytes.ts'
import { codesRoutes } from './codes/routes.ts'
import { downloadsContract } from './contract.ts'
import { recordHandOver, recordingRefusal } from './counting/events.ts'
import { handOverToProxy } from './counting/hand-over.ts'
import { trackDownloads } from './counting/running.ts'
import { beginTransfer, type Counting } from './counting/transfer.ts'
import { sendDocument } from './document.ts'
import { byteViewerOf, isProtected, viewerOf } from './guard.ts'
import { selectionMaxBytes } from './limits.ts'
import { isOpenedAsPage, sharePagePath } from './page-redirect.ts'
import { publishedFile } from './queries.ts'
import { metaDataOf, viewShare } from './service.ts'
import { unlockShare } from './unlock.ts'
import { setUnlockCookie } from './unlock-token.ts'
import { countVisit, requireView } from './visits.ts'
import { archiveOf } from './zip/archive.ts'
import { archiveName } from './zip/archive-name.ts'
import { archivedFiles } from './zip/archived-files.ts'
import { zipFileName } from './zip/names.ts'
import { type Choice, newSelection } from './zip/selection.ts'

const retryAfter = 5 // s

/** Registers the calls of a share's visitors. */
export function downloadsRoutes(app: FastifyInstance, context: Context & Recording): void {
  const ctx = { ...context, running: trackDownloads(context) }
  app.addHook('onClose', async () => ctx.running.close())
  codesRoutes(app, ctx)
  const on = endpoints(app, downloadsContract)

  on('GET /api/shares/:id', {}, async (request, reply) => {
    const page = await viewShare(ctx, request, reply, request.params.id)
    if (!Array.isArray(page)) return page
    const length = page.reduce((sum, piece) => sum + piece.length, 0)
    reply.header('content-length', length).type('application/json; charset=utf-8')
    return reply.send(Readable.from(page, { objectMode: false }))
  })

  on('GET /api/shares/:id/metaData', {}, async (request) => {
    const { access } = await viewerOf(ctx, request, request.params.id)
    return metaDataOf(access, await archiveOf(ctx, access, await readSettings(ctx)))
  })

  on('POST /api/shares/:id/token', {}, async (request, reply) => {
    const { id } = request.params
    const token = await unlockShare(ctx, request, id, request.body?.password ?? '')
    setUnlockCookie(request, reply, id, token)
    return { token }
  })

  on('GET /api/shares/:id/document', {}, async (request, reply) => {
    const { access } = await viewerOf(ctx, request, request.params.id)
    return sendDocument(ctx, request, reply, access)
  })

  on('POST /api/shares/:id/selections', { bodyLimit: selectionMaxBytes }, async (request) => {
    const { id } = request.params
    const { files = [], folders = [] } = request.body
    const { access } = await byteViewerOf(ctx, request, id)
    if (access.encrypted) throw new AppError('share_encrypted')
    const selection = await newSelection(ctx, access, await archivedFiles(ctx.pool, access.id), { files, folders })
    return { url: `${app.basePath}/api/shares/${encodeURIComponent(id)}/files/zip?selection=${selection}` }
  })

  on('GET /api/shares/:id/files/zip', {}, (request, reply) => {
    const { id } = request.params
    if (isOpenedAsPage(request)) return openPage(reply, sharePagePath(id, { folder: request.query.folder }))
    return sendArchive(ctx, request, reply, id, request.query)
  })

  on('GET /api/shares/:id/files/:fileId', {}, async (request, reply) => {
    const { id, fileId } = request.params
    if (isOpenedAsPage(request)) return openPage(reply, sharePagePath(id, { preview: fileId }))
    const viewer = await byteViewerOf(ctx, request, id)
    const file = isUuid(fileId) ? await publishedFile(ctx.reader, viewer.access.id, fileId) : undefined
    if (!file) throw new AppError('file_not_found')
    await recordingRefusal(ctx, request, viewer, () => requireView(ctx, request, viewer))
    const { size } = file
    const item = { item: file.id, isZip: false, file: file.name, size }
    const headers = fileHeaders(file.name, { inline: request.query.download === false, isProtected: isProtected(viewer.access) })
    const shows = headers['content-disposition'].startsWith('inline')
    const address = viewer.access.maxDownloads === null ? await storeAddress(ctx, request, file, headers) : null
    if (address) {
      const range = { start: 0, end: size - 1 }
      await recordingRefusal(ctx, request, viewer, () => countVisit(ctx, request, reply, viewer, { range, size }))
      recordHandOver(ctx, request, viewer, item)
      return reply.header('cache-control', 'no-store').redirect(address, 302)
    }
    await sendBytes(request, reply, {
      size,
      check: () => checkObject(ctx, file),
      beforeSending: (range) =>
        recordingRefusal(ctx, request, viewer, () => beginTransfer(ctx, { request, reply, viewer }, item, range, shows)),
      ...(await validatorsOf(ctx, request, file)),
      headers,
      handOver: handOverToProxy(ctx, { request, reply, viewer }, file.objectKey, item, shows),
      send: (range, to, onOpen) => sendChecked(ctx, file, range, to, onOpen),
    })
  })
}

/** Redirects to a page before anything is read, so that the redirect reveals nothing. */
function openPage(reply: FastifyReply, path: string): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(path, 302)
}

async function sendArchive(ctx: Counting, request: FastifyRequest, reply: FastifyReply, id: string, choice: Choice): Promise<void> {
  const viewer = await byteViewerOf(ctx, request, id)
  if (viewer.access.encrypted) throw new AppError('share_encrypted')
  const settings = await readSettings(ctx)
  const archive = await archiveOf(ctx, viewer.access, settings, choice)
  if (archive.state !== 'ready') {
    if (archive.state === 'failed') throw new AppError('zip_failed')
    throw new AppError('zip_not_ready', { progress: archive.progress, retryAfter })
  }
  await recordingRefusal(ctx, request, viewer, () => requireView(ctx, request, viewer))
  const { folder, etag, size, objectKey, revision } = archive
  const item = { item: etag, isZip: true, file: null, size, revision }
  const name = folder ? zipFileName(folder, id) : await archiveName(ctx, viewer.access, settings)
  await sendBytes(request, reply, {
    ...archive,
    beforeSending: (range) => recordingRefusal(ctx, request, viewer, () => beginTransfer(ctx, { request, reply, viewer }, item, range)),
    headers: zipHeaders(name, { isProtected: isProtected(viewer.access) }),
    handOver: objectKey ? handOverToProxy(ctx, { request, reply, viewer }, objectKey, item) : null,
  })
}
