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

/** A share whose upload was interrupted or is still running. */
export const UnfinishedUpload = Type.Object({
  id: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  expiration: Type.String({ description: 'ISO 8601; 1970 means "never"' }),
  createdAt: Type.String({ format: 'date-time' }),
  activeAt: Type.String({ format: 'date-time', description: 'when it was last uploaded to' }),
  keptUntil: Type.String({ format: 'date-time', description: 'when it is deleted without further activity' }),
  fileCount: Type.Integer({ description: 'announced files' }),
  completedFiles: Type.Integer(),
  size: Type.Integer({ description: 'bytes of the announced files' }),
  uploaded: Type.Integer({ description: 'bytes that have arrived at the server' }),
  names: Type.Array(Type.String(), { description: 'the first files by name, at most three; none of an encrypted share' }),
  encrypted: Type.Boolean({ description: 'end-to-end; it can be continued only where its key is' }),
})
export type UnfinishedUpload = Static<typeof UnfinishedUpload>

export const uploadsContract = {
  'GET /api/uploads': {
    summary: 'List own shares whose upload is not finished, newest first; each can be continued or deleted like any own share',
    response: Type.Array(UnfinishedUpload),
  },
  'POST /api/shares/:id/files': {
    summary: 'Announce a file and reserve its size',
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
    summary: 'Get the URL to PUT one part directly to the object store; for files announced as `direct`',
    params: PartParams,
    response: Type.Object({
      url: Type.String(),
      headers: Type.Record(Type.String(), Type.String()),
      expiresAt: Type.String({ format: 'date-time' }),
    }),
  },
  'GET /api/shares/:id/files/:fileId/parts': {
    summary: 'List the parts that have arrived',
    params: FileParams,
    response: Type.Object({
      partSize: Type.Integer(),
      partCount: Type.Integer(),
      parts: Type.Array(Type.Integer()),
      crc32: Type.Array(Type.Union([Type.Integer(), Type.Null()]), {
        description: 'of each of these parts; null where the part came directly to the store, or the file is complete',
      }),
      direct: Type.Boolean(),
    }),
  },
  'POST /api/shares/:id/files/:fileId/complete': {
    summary: 'Join the parts of a file; safe to repeat',
    params: FileParams,
    response: Type.Object({ id: Type.String(), name: Type.String(), size: Type.Integer() }),
  },
  'PATCH /api/shares/:id/files/:fileId': {
    summary: 'Rename a file; while the share is being edited, visitors see the new name once the edits are saved',
    params: FileParams,
    body: Type.Object({ name: Type.String({ minLength: 1 }) }),
    response: Type.Object({ id: Type.String(), name: Type.String(), size: Type.Integer() }),
  },
  'DELETE /api/shares/:id/files/:fileId': {
    summary: 'Delete a file, or abort its upload; while the share is being edited, visitors see the file until the edits are saved',
    params: FileParams,
  },
  'POST /api/shares/:id/files/:fileId/restore': {
    summary: 'Restore a file that would be deleted when the edits are saved',
    params: FileParams,
    response: Type.Object({ id: Type.String(), name: Type.String(), size: Type.Integer() }),
  },
} satisfies Contract
