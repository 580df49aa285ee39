import { type Static, Type } from 'typebox'
import type { Contract } from '../../http/contract.ts'
import { NewShare, ShareParams } from '../../shares/contract.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const { id, name, description } = NewShare.properties

/** The parts of a form that shares files in one request; what is in the text parts is held to the rules of `NewShare`. */
const UploadForm = Type.Object({
  id,
  name,
  description,
  expiration: text('`never`, or a number and a unit, such as `7-days`'),
  recipients: text('e-mail addresses with commas between, or one part for each'),
  password: text('visitors must give it'),
  maxViews: text('how many visitors may open the share'),
  reverseShareToken: text('sends the share to who made that link'),
  senderName: text('who sends it; where the link asks for it'),
  senderEmail: text('where the link asks for it'),
  senderMessage: text('where the link asks for it'),
  file: Type.Array(Type.String({ format: 'binary' }), { description: 'after all text parts; a `/` in a file name separates folders' }),
})

export const Uploaded = Type.Object({
  id: Type.String(),
  link: Type.String(),
  files: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), size: Type.Integer({ description: 'bytes' }) })),
})
export type Uploaded = Static<typeof Uploaded>

const ChunkQuery = Type.Object({
  id: Type.Optional(Type.String({ maxLength: 100, description: 'as answered to the first chunk of the file; not with that one' })),
  name: Type.String({ minLength: 1 }),
  chunkIndex: Type.Integer({ minimum: 0, description: 'from 0' }),
  totalChunks: Type.Integer({ minimum: 1 }),
})
export type ChunkQuery = Static<typeof ChunkQuery>

/** Uploads by other programs than our own: in one request, or as clients of Pingvin Share do. */
export const scriptsContract = {
  'POST /api/upload': {
    summary: 'Share files in one request; it is done as a whole or not at all. With `Accept: text/plain` the answer is the link alone',
    consumes: { 'multipart/form-data': UploadForm },
    response: Uploaded,
    produces: 'text/plain',
    status: 201,
  },
  'POST /api/shares/:id/files?chunkIndex': {
    summary:
      'Send the next chunk of a file (as clients of Pingvin Share do): exactly `share.chunkSize` bytes, the last one the rest. The last one may be repeated',
    params: ShareParams,
    querystring: ChunkQuery,
    consumes: { 'application/octet-stream': null },
    response: Type.Object({ id: Type.String(), name: Type.String() }),
    status: 201,
  },
} satisfies Contract
