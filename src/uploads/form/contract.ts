import { type Static, Type } from 'typebox'
import type { Contract } from '../../http/contract.ts'
import { NewShare, ShareParams } from '../../shares/contract.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const { id, name, description } = NewShare.properties

/**
 * The parts of a form that shares files in one request. Its text parts follow the rules of
 * `NewShare`.
 */
export const UploadForm = Type.Object({
  id,
  name,
  description,
  expiration: text('`never`, or a number and a unit, such as `7-days`'),
  recipients: text('email addresses separated by commas, or one part for each'),
  password: text('visitors must enter it'),
  maxViews: text('how many visits the share allows'),
  reverseShareToken: text('sends the share to the owner of this link'),
  senderName: text('if the link requires it'),
  senderEmail: text('if the link requires it'),
  senderMessage: text('if the link requires it'),
  file: Type.Array(Type.String({ format: 'binary' }), { description: 'after all text parts; a `/` in a file name separates folders' }),
})

const RawUploadQuery = Type.Object(
  {
    id: Type.Optional(Type.String()),
    name: text('the title of the share'),
    description: text('a note for its visitors'),
    expiration: text('`never`, or a number and a unit, such as `7-days`'),
    recipients: text('email addresses separated by commas'),
    maxViews: text('how many visits the share allows'),
    reverseShareToken: text('sends the share to the owner of this link'),
    senderName: text('if the link requires it'),
    senderEmail: text('if the link requires it'),
    senderMessage: text('if the link requires it'),
  },
  { additionalProperties: false },
)

export const Uploaded = Type.Object({
  id: Type.String(),
  link: Type.String(),
  files: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), size: Type.Integer({ description: 'bytes' }) })),
})
export type Uploaded = Static<typeof Uploaded>

const ChunkQuery = Type.Object({
  id: Type.Optional(Type.String({ maxLength: 100, description: 'as returned for the first chunk of the file; omitted there' })),
  name: Type.String({ minLength: 1 }),
  chunkIndex: Type.Integer({ minimum: 0, description: 'from 0' }),
  totalChunks: Type.Integer({ minimum: 1 }),
})
export type ChunkQuery = Static<typeof ChunkQuery>

/** Uploads by other programs: in one request, or like clients of Pingvin Share. */
export const scriptUploadsContract = {
  'POST /api/upload': {
    summary: 'Share files in one request, completely or not at all. With `Accept: text/plain` the response is only the link',
    consumes: { 'multipart/form-data': UploadForm },
    response: Uploaded,
    produces: 'text/plain',
    status: 201,
  },
  'PUT /api/upload/:fileName': {
    summary:
      'Share the body as one file, of known or unknown length, completely or not at all. The header `X-Share-Password` protects the share. With `Accept: text/plain` the response is only the link',
    params: Type.Object({ fileName: Type.String({ description: 'a `/` (`%2F`) separates folders' }) }),
    querystring: RawUploadQuery,
    consumes: { 'application/octet-stream': null },
    response: Uploaded,
    produces: 'text/plain',
    status: 201,
  },
  'POST /api/shares/:id/files?chunkIndex': {
    summary:
      'Upload the next chunk of a file, like clients of Pingvin Share: exactly `share.chunkSize` bytes, or the rest in the last one, which may be repeated',
    params: ShareParams,
    querystring: ChunkQuery,
    consumes: { 'application/octet-stream': null },
    response: Type.Object({ id: Type.String(), name: Type.String() }),
    status: 201,
  },
} satisfies Contract
