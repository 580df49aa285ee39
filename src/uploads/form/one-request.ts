import { PassThrough, Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Recording } from '../../activity/recorder.ts'
import { readSettings } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { callerOf } from '../../http/guards.ts'
import { createShareRow } from '../../shares/create.ts'
import { complete } from '../../shares/editing/editing.ts'
import { setOwnerCookie } from '../../shares/owner.ts'
import { linkOf } from '../../shares/present.ts'
import { deleteUnfinished } from '../../shares/queries.ts'
import { recordingRefusal, recordSent } from '../../shares/reverse/activity.ts'
import { reverseShareOf } from '../../shares/reverse/reverse-share.ts'
import { queueCleanUp } from '../../shares/service.ts'
import { partHeadBytes, strangerTextMaxBytes, textMaxBytes } from '../limits.ts'
import { checkFileName } from '../names.ts'
import { idleWatch, pipeBody } from '../request-body.ts'
import { type Limits, limitsOf } from '../reserve.ts'
import type { Uploaded } from './contract.ts'
import { FormFields } from './form-fields.ts'
import { type FilePart, formParts, type TextPart } from './form-parts.ts'
import { FileReceiver, type ReceiveContext } from './receive-files.ts'

type Uploading = Pick<Context, 'db' | 'env' | 'limiters' | 'now' | 'queue' | 'sealer' | 'storage'> & Recording

/**
 * Shares the files of one multipart form while it arrives: first its text parts, then its files.
 * The share opens once the form is complete. On failure, nothing is kept.
 *
 * @throws {AppError} unsupported_media_type
 * @throws {AppError} unauthenticated_shares_disabled: visitors may not share, and the form names no
 *   reverse share
 * @throws {AppError} upload_field_after_file: with the `field`
 * @throws {AppError} share_has_no_files
 * @throws the errors of `formParts`, `createShareRow`, `FileReceiver.receive` and `complete`
 */
export async function uploadInOneRequest(ctx: Uploading, request: FastifyRequest, reply: FastifyReply, baseUrl: string): Promise<Uploaded> {
  if (!(request.body instanceof Readable)) throw new AppError('unsupported_media_type')
  const fields = new FormFields()
  let mayShare = await maySend(ctx, request)
  const idle = idleWatch(request)
  let upload: Begun | undefined
  try {
    if (mayShare) checkDeclaredLength(request, await limitsOf(ctx, { maxSize: null }))
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
      if (!upload) {
        upload = await begin(ctx, request, fields)
        checkDeclaredLength(request, upload.max)
      }
      const begun = upload
      await recordingRefusal(ctx, request, begun.share, () => begun.receiver.receive(arrived, idle))
    }
    idle.stop()
    if (!upload) throw new AppError('share_has_no_files')
    return await publish(ctx, request, reply, upload, baseUrl)
  } catch (error) {
    idle.stop()
    if (upload) await discard(ctx, upload)
    throw error
  }
}

/**
 * Shares the body of a request as one file while it arrives. On failure, nothing is kept.
 *
 * @throws the errors of `createShareRow`, `FileReceiver.receive` and `complete`
 */
export async function uploadRawFile(
  ctx: Uploading,
  request: FastifyRequest,
  reply: FastifyReply,
  { baseUrl, name, options }: { baseUrl: string; name: string; options: Record<string, string | undefined> },
): Promise<Uploaded> {
  const fields = new FormFields()
  for (const [field, value] of Object.entries(options)) if (value) fields.add({ name: field, value, truncated: false })
  checkFileName(name)
  const upload = await begin(ctx, request, fields)
  const idle = idleWatch(request)
  try {
    await recordingRefusal(ctx, request, upload.share, async () => {
      if (upload.expected > upload.max.size) throw new AppError('share_too_large', { max: upload.max.size })
      await upload.receiver.receive([bodyAsPart(request, name)], idle)
    })
    idle.stop()
    return await publish(ctx, request, reply, upload, baseUrl)
  } catch (error) {
    idle.stop()
    await discard(ctx, upload)
    throw error
  }
}

/** Returns a request's body as a file. */
function bodyAsPart(request: FastifyRequest, filename: string): FilePart {
  const bytes = new PassThrough()
  pipeBody(request, bytes)
  return { kind: 'file', filename, type: request.headers['content-type'] ?? '', bytes }
}

interface Begun extends ReceiveContext {
  ownerToken?: string
  receiver: FileReceiver
}

async function publish(
  ctx: Uploading,
  request: FastifyRequest,
  reply: FastifyReply,
  { share: begun, ownerToken, receiver }: Begun,
  baseUrl: string,
): Promise<Uploaded> {
  const files = await recordingRefusal(ctx, request, begun, () => receiver.finish())
  const { share } = await complete(ctx, begun.uid, baseUrl)
  recordSent(ctx, request, 'received', share)
  if (ownerToken) setOwnerCookie(ctx, request, reply, share, ownerToken)
  return { id: share.id, link: linkOf(baseUrl, share.id), files }
}

async function discard(ctx: Uploading, { share }: Begun): Promise<void> {
  if (await deleteUnfinished(ctx.db, share.uid)) await queueCleanUp(ctx)
}

async function begin(ctx: Uploading, request: FastifyRequest, fields: FormFields): Promise<Begun> {
  const created = await createShareRow(ctx, request, fields.newShare(request))
  const max = await limitsOf(ctx, created.share)
  const upload = { ...created, max, expected: declaredLength(request) }
  return { ...upload, receiver: new FileReceiver(ctx, upload) }
}

/** Returns the announced bytes of a request's body; 0 if unknown. */
function declaredLength({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? 0)
}

/**
 * Refuses a form whose length alone shows that its files are too large, before they arrive.
 *
 * @throws {AppError} share_too_large: with `max` in bytes
 */
function checkDeclaredLength(request: FastifyRequest, { size, files }: Limits): void {
  if (declaredLength(request) > size + textMaxBytes + files * partHeadBytes) throw new AppError('share_too_large', { max: size })
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
