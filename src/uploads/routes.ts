import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Recording } from '../activity/recorder.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { anyone, signedIn, userOf } from '../http/guards.ts'
import { addressKey } from '../http/networks.ts'
import { consumeAttempt } from '../http/rate-limit.ts'
import { endpoints, streamBodies } from '../http/route.ts'
import { sharedBytes } from '../http/shared-bytes.ts'
import { draftOf } from '../shares/document/queries.ts'
import { findEditableShare, findOwnShare } from '../shares/owner.ts'
import { recordingRefusal } from '../shares/reverse/activity.ts'
import { arrivedParts, completeFile } from './complete.ts'
import { uploadsContract } from './contract.ts'
import { documentContract } from './document/contract.ts'
import { receiveDocument } from './document/receive-document.ts'
import { signedPartsPerAddress } from './limits.ts'
import { packsContract } from './packs/contract.ts'
import { receivePack } from './packs/receive-pack.ts'
import { allowsDirect, signPart } from './parts/direct.ts'
import { receivePart } from './parts/receive-part.ts'
import * as service from './service.ts'
import { unfinishedUploads } from './unfinished.ts'

/**
 * The native upload: announce a file, send its parts in any order and in parallel, join them. Small
 * files can be uploaded in packs.
 */
export function uploadsRoutes(app: FastifyInstance, ctx: Context & Recording): void {
  const on = endpoints(app, uploadsContract)
  const writing = { onRequest: anyone('shares:write') }

  on('GET /api/uploads', { onRequest: signedIn('shares:read') }, (request) => unfinishedUploads(ctx.db, userOf(request).userId, ctx.now()))

  on('POST /api/shares/:id/files', writing, async (request) => {
    const { share } = await findEditableShare(ctx, request, request.params.id)
    return recordingRefusal(ctx, request, share, () => service.announce(ctx, share, request.body))
  })

  app.register(async (bytes) => {
    streamBodies(bytes)
    endpoints(bytes, uploadsContract)('PUT /api/shares/:id/files/:fileId/parts/:number', writing, async (request) => {
      const { share } = await findEditableShare(ctx, request, request.params.id)
      const file = await service.findFile(ctx.db, share.id, request.params.fileId)
      const partNumber = Number(request.params.number)
      return { partNumber, size: await receivePart(ctx, share, file, partNumber, request) }
    })
    endpoints(bytes, packsContract)('POST /api/shares/:id/packs', writing, async (request) => {
      const { share } = await findEditableShare(ctx, request, request.params.id)
      return recordingRefusal(ctx, request, share, () => receivePack(ctx, share, request))
    })
    endpoints(bytes, documentContract)('PUT /api/shares/:id/document', writing, async (request) => {
      const { share } = await findEditableShare(ctx, request, request.params.id)
      return { revision: await receiveDocument(ctx, share, request) }
    })
  })

  endpoints(app, documentContract)('GET /api/shares/:id/document/draft', { onRequest: anyone('shares:read') }, async (request, reply) => {
    const { share } = await findEditableShare(ctx, request, request.params.id)
    if (!share.encrypted) throw new AppError('document_not_found')
    // A draft may change at any time, so each response has its own.
    const document = await sharedBytes(`draft ${randomUUID()}`, reply.raw, () => draftOf(ctx.db, share.id))
    return reply.header('cache-control', 'no-store').type('application/octet-stream').send(document)
  })

  on('GET /api/shares/:id/files/:fileId/parts/:number/url', writing, async (request, reply) => {
    const { share } = await findEditableShare(ctx, request, request.params.id)
    const file = await service.findFile(ctx.db, share.id, request.params.fileId)
    await consumeAttempt(ctx, signedPartsPerAddress, addressKey(request.ip))
    const { expiresAt, ...signed } = await signPart(ctx, share, file, Number(request.params.number))
    reply.header('cache-control', 'no-store')
    return { ...signed, expiresAt: expiresAt.toISOString() }
  })

  on('GET /api/shares/:id/files/:fileId/parts', writing, async (request) => {
    const { share } = await findEditableShare(ctx, request, request.params.id)
    const file = await service.findFile(ctx.db, share.id, request.params.fileId)
    const { partSize, partCount } = file
    const arrived = await arrivedParts(ctx, file)
    const parts = arrived.map(({ number }) => number)
    return { partSize, partCount, parts, crc32: arrived.map(({ crc32 }) => crc32), direct: allowsDirect(ctx, file) }
  })

  on('POST /api/shares/:id/files/:fileId/complete', writing, async (request) => {
    const { share } = await findEditableShare(ctx, request, request.params.id)
    const { id, name, size, ...file } = await service.findFile(ctx.db, share.id, request.params.fileId)
    await recordingRefusal(ctx, request, share, () => completeFile(ctx, share, { id, name, size, ...file }))
    return { id, name, size }
  })

  on('PATCH /api/shares/:id/files/:fileId', writing, async (request) => {
    const { share } = await findEditableShare(ctx, request, request.params.id)
    const { id, name, size } = await service.renameFile(ctx, share, request.params.fileId, request.body.name)
    return { id, name, size }
  })

  on('DELETE /api/shares/:id/files/:fileId', writing, async (request) => {
    const { share, right } = await findOwnShare(ctx, request, request.params.id)
    await service.removeFile(ctx, share, right, request.params.fileId)
  })

  on('POST /api/shares/:id/files/:fileId/restore', writing, async (request) => {
    const { share } = await findEditableShare(ctx, request, request.params.id)
    return service.restoreFile(ctx, share, request.params.fileId)
  })
}
