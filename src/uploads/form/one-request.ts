import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { callerOf } from '../../http/guards.ts'
import { createShareRow } from '../../shares/create.ts'
import { complete } from '../../shares/editing/editing.ts'
import { setOwnerCookie } from '../../shares/owner.ts'
import { linkOf } from '../../shares/present.ts'
import { deleteUnfinished } from '../../shares/queries.ts'
import { reverseShareOf } from '../../shares/reverse/reverse-share.ts'
import { queueCleanUp } from '../../shares/service.ts'
import { strangerTextMaxBytes } from '../limits.ts'
import { discardBody, idleWatch } from '../request-body.ts'
import { limitsOf } from '../reserve.ts'
import type { Uploaded } from './contract.ts'
import { FormFields } from './form-fields.ts'
import { type FilePart, formParts, type TextPart } from './form-parts.ts'
import { type ReceiveContext, receiveFiles } from './receive-files.ts'

type Uploading = Pick<Context, 'db' | 'env' | 'limiters' | 'now' | 'queue' | 'sealer' | 'storage'>

/**
 * Shares the files of one multipart form while it arrives: first its text parts, then its files.
 * The share opens once the form is complete. On failure, nothing is kept.
 *
 * @throws {AppError} unsupported_media_type
 * @throws {AppError} unauthenticated_shares_disabled: visitors may not share, and the form names no
 *   reverse share
 * @throws {AppError} upload_field_after_file: with the `field`
 * @throws {AppError} share_has_no_files
 * @throws the errors of `formParts`, `createShareRow`, `receiveFiles` and `complete`
 */
export async function uploadInOneRequest(ctx: Uploading, request: FastifyRequest, reply: FastifyReply, baseUrl: string): Promise<Uploaded> {
  if (!(request.body instanceof Readable)) throw new AppError('unsupported_media_type')
  const fields = new FormFields()
  let mayShare = await maySend(ctx, request)
  const idle = idleWatch(request)
  let upload: (ReceiveContext & { ownerToken?: string }) | undefined
  try {
    const files: Uploaded['files'] = []
    idle.start()
    for await (const parts of formParts(request)) {
      const arrived: FilePart[] = []
      for (const part of parts) {
        if (part.kind === 'file') arrived.push(part)
        else if (upload || arrived.length > 0) throw new AppError('upload_field_after_file', { field: part.name })
        else {
          fields.add(part)
          mayShare ||= await namesReverseShare(ctx, request, part)
          if (!mayShare && fields.bytes > strangerTextMaxBytes) throw new AppError('unauthenticated_shares_disabled')
        }
      }
      if (arrived.length === 0) continue
      upload ??= await begin(ctx, request, fields)
      files.push(...(await receiveFiles(ctx, upload, arrived, idle)))
    }
    idle.stop()
    if (!upload) throw new AppError('share_has_no_files')
    const { share } = await complete(ctx, upload.share.uid, baseUrl)
    if (upload.ownerToken) setOwnerCookie(ctx, request, reply, share, upload.ownerToken)
    return { id: share.id, link: linkOf(baseUrl, share.id), files }
  } catch (error) {
    idle.stop()
    discardBody(request)
    if (upload && (await deleteUnfinished(ctx.db, upload.share.uid))) await queueCleanUp(ctx)
    throw error
  }
}

async function begin(ctx: Uploading, request: FastifyRequest, fields: FormFields) {
  const created = await createShareRow(ctx, request, fields.newShare(request))
  const expected = Number(request.headers['content-length'] ?? 0)
  return { ...created, max: await limitsOf(ctx, created.share), expected }
}

/**
 * Returns whether the caller may share, or a compatible client's cookie names a reverse share.
 * Others must name one in the form.
 */
async function maySend(ctx: Uploading, request: FastifyRequest): Promise<boolean> {
  if (await callerOf(request)) return true
  if ((await readSettings(ctx))['share.allowUnauthenticatedShares']) return true
  return reverseShareOf(ctx, request, {}).then(
    (reverse) => reverse !== null,
    () => false, // the form may name another one
  )
}

async function namesReverseShare(ctx: Uploading, request: FastifyRequest, { name, value }: TextPart): Promise<boolean> {
  if (name !== 'reverseShareToken') return false
  return (await reverseShareOf(ctx, request, { reverseShareToken: value })) !== null
}
