import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { admin, type Caller, userOf } from '../http/guards.ts'
import { endpoints } from '../http/route.ts'
import { changeSettings, needConfirmation, parseChange } from './changes.ts'
import { configContract } from './contract.ts'
import { logoMaxBytes, logoSizes } from './limits.ts'
import { logoKey, logoVersion, replaceLogo } from './logo.ts'
import { decodeInTurn } from './logo-queue.ts'
import { sendTestEmail } from './mail-server.ts'
import { adminVariables, allVariables, asText, variablesOfCategory } from './present.ts'
import { storeIfUnset } from './queries.ts'
import { publicVariables } from './service.ts'

const year = 31_536_000 // seconds
const settingsMaxBytes = 1_048_576 // all email templates in one request

/**
 * Confirms a change by the caller's password or a recent sign-in. Throws an AppError if it can't.
 */
type Confirm = (caller: Caller, password: string | undefined) => Promise<unknown>

/**
 * Registers the calls for settings. All except the public ones need an administrator or an API
 * token with the scope `admin`.
 */
export function configRoutes(app: FastifyInstance, ctx: Context, confirm: Confirm): void {
  const on = endpoints(app, configContract)

  on('GET /api/configs', {}, () => publicVariables(ctx))

  on('GET /api/configs/admin', { onRequest: admin }, async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return allVariables(ctx)
  })

  on('GET /api/configs/admin/:category', { onRequest: admin }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    return (await variablesOfCategory(ctx, request.params.category)).map(asText)
  })

  on('PATCH /api/configs/admin', { bodyLimit: settingsMaxBytes, onRequest: admin }, async (request) => {
    const { body } = request
    const { changes, currentPassword } = Array.isArray(body) ? { changes: body.map(parseChange) } : body
    if (needConfirmation(userOf(request), changes)) await confirm(userOf(request), currentPassword)
    const keys = await changeSettings(ctx, changes)
    ctx.log.info({ keys, userId: request.caller?.userId }, 'settings changed')
    const changed = await adminVariables(ctx, keys)
    return Array.isArray(body) ? changed.map(asText) : changed
  })

  on('POST /api/configs/admin/finishSetup', { onRequest: admin }, async (_request, reply) => {
    if (!(await storeIfUnset(ctx.db, 'general.setupFinished', true, ctx.now()))) throw new AppError('setup_finished')
    return reply.send()
  })

  on('POST /api/configs/admin/testEmail', { onRequest: admin }, async (request, reply) => {
    await sendTestEmail(ctx, request.body.email)
    return reply.send()
  })

  on('GET /api/logo/:file', {}, async (request, reply) => {
    const size = logoSizes.find((width) => request.params.file === `${width}.png`)
    const version = size && (await logoVersion(ctx.db))
    if (!version) throw new AppError('not_found')
    const isImmutable = request.query.v === version
    reply.header('cache-control', isImmutable ? `public, max-age=${year}, immutable` : 'no-cache')
    return sendLogo(reply, version, size, request.headers['if-none-match'])
  })

  app.register(async (scope) => {
    if (!scope.hasContentTypeParser('multipart/form-data')) await scope.register(multipart)
    endpoints(scope, configContract)('POST /api/configs/admin/logo', { onRequest: admin }, async (request) => {
      return {
        version: await decodeInTurn(
          () => receiveImage(request),
          (image) => replaceLogo(ctx, image),
        ),
      }
    })
  })

  async function sendLogo(reply: FastifyReply, version: string, size: number, ifNoneMatch: string | undefined) {
    const etag = `"${version}-${size}"`
    reply.headers({ etag, 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'" })
    if (ifNoneMatch === etag) return reply.code(304).send()
    return reply.type('image/png').send(await ctx.storage.read(logoKey(version, size)))
  }
}

/**
 * Receives the image of a form. The parser's errors for a malformed form have no status.
 * @throws {AppError} logo_not_png: the form is malformed or has no file
 * @throws {FastifyError} 413: the file is too large
 */
async function receiveImage(request: FastifyRequest): Promise<Buffer> {
  try {
    const file = await request.file({ limits: { files: 1, fileSize: logoMaxBytes } })
    if (file) return await file.toBuffer()
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode) throw error
  }
  throw new AppError('logo_not_png')
}
