import type { FastifyInstance } from 'fastify'
import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { appUrl } from '../../http/app-url.ts'
import { anyone } from '../../http/guards.ts'
import { endpoints } from '../../http/route.ts'
import { creationGuard } from '../../shares/create.ts'
import { findEditableShare } from '../../shares/owner.ts'
import { receiveChunk } from '../chunks/chunks.ts'
import { discardBody } from '../request-body.ts'
import { scriptUploadsContract } from './contract.ts'
import { uploadInOneRequest } from './one-request.ts'

/** Registers the uploads by other programs. */
export function scriptUploadsRoutes(app: FastifyInstance, ctx: Context): void {
  const writing = { onRequest: anyone('shares:write') }

  app.register(async (bytes) => {
    // A chunk is raw bytes whatever Content-Type the client sends.
    bytes.removeAllContentTypeParsers()
    bytes.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    endpoints(bytes, scriptUploadsContract)('POST /api/shares/:id/files?chunkIndex', writing, async (request) => {
      const { share } = await findEditableShare(ctx, request, request.params.id)
      try {
        const { id, name } = await receiveChunk(ctx, share, request.query, request)
        return { id, name }
      } finally {
        discardBody(request)
      }
    })
  })

  app.register(async (forms) => {
    forms.removeAllContentTypeParsers()
    forms.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload))
    endpoints(forms, scriptUploadsContract)(
      'POST /api/upload',
      { onRequest: [anyone('shares:write'), creationGuard(ctx)] },
      async (request, reply) => {
        const baseUrl = appUrl(ctx.env, (await readSettings(ctx))['general.appUrl'], request)
        const uploaded = await uploadInOneRequest(ctx, request, reply, baseUrl)
        if (!wantsText(request.headers.accept)) return uploaded
        return reply.type('text/plain; charset=utf-8').send(`${uploaded.link}\n`) as never // the contract types only the JSON response
      },
    )
  })
}

/** Returns whether a client asks for plain text and not also for JSON. */
function wantsText(accept = ''): boolean {
  return /\btext\/plain\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept)
}
