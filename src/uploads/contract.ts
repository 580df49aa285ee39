import { type Static, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'
import { ShareId, ShareParams } from '../shares/contract.ts'

const FileParams = Type.Object({ id: ShareId, fileId: Type.String({ maxLength: 100 }) })
const PartParams = Type.Object({ id: ShareId, fileId: Type.String({ maxLength: 100 }), number: Type.String({ pattern: '^[0-9]{1,6}$' }) })

export const NewFile = Type.Object({
  name: Type.String({ minLength: 1 }),
  size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'bytes' }),
  type: Type.Optional(Type.String({ maxLength: 255 })),
})
export type NewFile = Static<typeof NewFile>

export const OpenedFile = Type.Object({
  id: Type.String(),
  name: Type.String(),
  size: Type.Integer(),
  partSize: Type.Integer(),
  partCount: Type.Integer(),
  direct: Type.Boolean(),
})
export type OpenedFile = Static<typeof OpenedFile>

export const uploadsContract = {
  'POST /api/shares/:id/files': {
    summary: 'Announce a file; its size is reserved',
    params: ShareParams,
    body: NewFile,
    response: OpenedFile,
    status: 201,
  },
  'PUT /api/shares/:id/files/:fileId/parts/:number': {
    summary: 'Send one part, in any order and in parallel (`application/octet-stream`)',
    params: PartParams,
    consumes: { 'application/octet-stream': null },
    response: Type.Object({ partNumber: Type.Integer(), size: Type.Integer() }),
  },
  'GET /api/shares/:id/files/:fileId/parts/:number/url': {
    summary: 'Where to PUT one part straight to the object store; for files announced as `direct`',
    params: PartParams,
    response: Type.Object({
      url: Type.String(),
      headers: Type.Record(Type.String(), Type.String()),
      expiresAt: Type.String({ format: 'date-time' }),
    }),
  },
  'GET /api/shares/:id/files/:fileId/parts': {
    summary: 'Which parts have arrived',
    params: FileParams,
    response: Type.Object({
      partSize: Type.Integer(),
      partCount: Type.Integer(),
      parts: Type.Array(Type.Integer()),
      direct: Type.Boolean(),
    }),
  },
  'POST /api/shares/:id/files/:fileId/complete': {
    summary: 'Join the parts of a file; calling it twice is fine',
    params: FileParams,
    response: Type.Object({ id: Type.String(), name: Type.String(), size: Type.Integer() }),
  },
  'PATCH /api/shares/:id/files/:fileId': {
    summary: 'Rename a file; of a share that is being edited visitors see it once that is saved',
    params: FileParams,
    body: Type.Object({ name: Type.String({ minLength: 1 }) }),
    response: Type.Object({ id: Type.String(), name: Type.String(), size: Type.Integer() }),
  },
  'DELETE /api/shares/:id/files/:fileId': {
    summary: 'Remove a file, or abort its upload; of a share that is being edited visitors see it gone once that is saved',
    params: FileParams,
  },
  'POST /api/shares/:id/files/:fileId/restore': {
    summary: 'Keep a file after all that was to go when the share is saved',
    params: FileParams,
    response: Type.Object({ id: Type.String(), name: Type.String(), size: Type.Integer() }),
  },
} satisfies Contract
