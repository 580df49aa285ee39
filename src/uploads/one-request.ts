import type { MultipartFile, MultipartValue } from '@fastify/multipart'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { makeShare } from '../shares/create.ts'
import { complete } from '../shares/editing.ts'
import { giveOwnerCookie } from '../shares/owner.ts'
import { linkOf } from '../shares/present.ts'
import { deleteUnfinished } from '../shares/queries.ts'
import { cleanUpSoon } from '../shares/service.ts'
import { FormFields, fieldMaxBytes } from './form-fields.ts'
import { parserError, type Receiving, receiveFile } from './receive-file.ts'
import { discardBody, watchIdle } from './request-body.ts'
import { maxSizeOf } from './reserve.ts'
import type { Uploaded } from './scripts-contract.ts'

type Uploading = Pick<Context, 'db' | 'env' | 'limiters' | 'now' | 'queue' | 'sealer' | 'storage'>

/** Any number of files; 200 recipients may come one by one. */
const limits = {
  parts: Number.POSITIVE_INFINITY,
  files: Number.POSITIVE_INFINITY,
  fileSize: Number.POSITIVE_INFINITY,
  fields: 200,
  fieldSize: fieldMaxBytes,
  fieldNameSize: 100,
  headerPairs: 20,
  headerSize: 16_384,
}

/**
 * Shares the files of one multipart form, as it comes in: first its text parts, then its files. The share is open when all of it is there; whatever fails
 * before that, nothing is left. Throws what `makeShare`, `receiveFile` and `complete` do, `upload_field_after_file` with the `field`, `share_has_no_files`,
 * and `validation_failed` for what is no such form.
 */
export async function uploadInOneRequest(ctx: Uploading, request: FastifyRequest, reply: FastifyReply, baseUrl: string): Promise<Uploaded> {
  if (!request.isMultipart()) throw new AppError('unsupported_media_type')
  const fields = new FormFields()
  const idle = watchIdle(request)
  let made: (Receiving & { ownerToken?: string }) | undefined
  try {
    const files: Uploaded['files'] = []
    idle.watch()
    for await (const part of partsOf(request)) {
      if (part.type === 'file') {
        made ??= await begin(ctx, request, fields)
        files.push(await receiveFile(ctx, made, part, idle))
      } else if (made) throw new AppError('upload_field_after_file', { field: part.fieldname })
      else fields.add(part)
    }
    idle.rest()
    if (!made) throw new AppError('share_has_no_files')
    const { share } = await complete(ctx, made.share.uid, baseUrl)
    if (made.ownerToken) giveOwnerCookie(ctx, request, reply, share, made.ownerToken)
    return { id: share.id, link: linkOf(baseUrl, share.id), files }
  } catch (error) {
    idle.rest()
    discardBody(request)
    if (made && (await deleteUnfinished(ctx.db, made.share.uid))) await cleanUpSoon(ctx)
    throw error
  }
}

async function begin(ctx: Uploading, request: FastifyRequest, fields: FormFields) {
  const made = await makeShare(ctx, request, fields.newShare(request))
  const expected = Number(request.headers['content-length'] ?? 0)
  return { ...made, max: await maxSizeOf(ctx, made.share), expected }
}

/** The parts of the form. What the parser has kept of a file is let go of, so that any number of them takes no memory. */
async function* partsOf(request: FastifyRequest): AsyncGenerator<MultipartFile | MultipartValue> {
  const parts = request.parts({ preservePath: true, limits })
  for (;;) {
    const { value: part, done } = await parts.next().catch((error) => {
      throw parserError(error)
    })
    if (done) return
    yield part
    delete part.fields[part.fieldname]
  }
}
