import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Recording } from '../../activity/recorder.ts'
import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { appUrl } from '../../http/app-url.ts'
import { refusedField } from '../../http/error-handler.ts'
import { anyone } from '../../http/guards.ts'
import { endpoints, streamBodies } from '../../http/route.ts'
import { creationGuard } from '../../shares/create.ts'
import { findEditableShare } from '../../shares/owner.ts'
import { recordingRefusal } from '../../shares/reverse/activity.ts'
import { receiveChunk } from '../chunks/chunks.ts'
import { scriptUploadsContract, type Uploaded } from './contract.ts'
import { uploadInOneRequest, uploadRawFile } from './one-request.ts'

/** Registers the uploads by other programs. */
export function scriptUploadsRoutes(app: FastifyInstance, ctx: Context & Recording): void {
  const writing = { onRequest: anyone('shares:write') }
  const creating = { onRequest: [anyone('shares:write'), creationGuard(ctx)] }

  app.register(async (bytes) => {
    streamBodies(bytes)
    const on = endpoints(bytes, scriptUploadsContract)
    on('POST /api/shares/:id/files?chunkIndex', writing, async (request) => {
      const { share } = await findEditableShare(ctx, request, request.params.id)
      const { id, name } = await recordingRefusal(ctx, request, share, () => receiveChunk(ctx, share, request.query, request))
      return { id, name }
    })
    on('PUT /api/upload/:fileName', creating, async (request, reply) => {
      refuseContentRange(request)
      const options = { ...request.query, password: utf8Header(request.headers['x-share-password']) }
      const baseUrl = await baseUrlOf(request)
      return asRequested(request, reply, await uploadRawFile(ctx, request, reply, { baseUrl, name: request.params.fileName, options }))
    })
  })

  app.register(async (forms) => {
    forms.removeAllContentTypeParsers()
    forms.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload))
    endpoints(forms, scriptUploadsContract)('POST /api/upload', creating, async (request, reply) =>
      asRequested(request, reply, await uploadInOneRequest(ctx, request, reply, await baseUrlOf(request))),
    )
  })

  async function baseUrlOf(request: FastifyRequest): Promise<string> {
    return appUrl(ctx.env, (await readSettings(ctx))['general.appUrl'], request)
  }
}

/**
 * Refuses a part of a file, such as `curl -C` sends, which would be shared as the whole file
 * (RFC 9110, 14.5).
 * @throws {AppError} validation_failed
 */
function refuseContentRange({ headers }: FastifyRequest): void {
  if (headers['content-range'] !== undefined) throw refusedField('content-range', 'is not supported: send the whole file', 'unsupported')
}

/** Decodes a header that a client has sent in UTF-8. Node.js decodes each byte as one character. */
function utf8Header(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : header
}

/** Returns the response: all of it, or only the link for a client that asks for plain text. */
function asRequested({ headers }: FastifyRequest, reply: FastifyReply, uploaded: Uploaded): Uploaded {
  if (!wantsText(headers.accept)) return uploaded
  return reply.type('text/plain; charset=utf-8').send(`${uploaded.link}\n`) as never // the contract types only the JSON response
}

/** Returns whether a client asks for plain text and not also for JSON. */
function wantsText(accept = ''): boolean {
  return /\btext\/plain\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept)
}
