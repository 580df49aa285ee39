import { Type } from 'typebox'
import type { Contract } from '../../http/contract.ts'
import { ShareParams } from '../../shares/contract.ts'

/** The calls for the encrypted document of a share that is being edited. */
export const documentContract = {
  'PUT /api/shares/:id/document': {
    summary:
      'Store the encrypted document of a share that is open for uploads: its revision is the next one. Visitors get it once the share is completed or saved',
    params: ShareParams,
    consumes: { 'application/octet-stream': null },
    response: Type.Object({ revision: Type.Integer() }),
  },
  'GET /api/shares/:id/document/draft': {
    summary: 'Get the encrypted document of an own share, with unsaved changes',
    params: ShareParams,
    produces: 'application/octet-stream',
  },
} satisfies Contract
