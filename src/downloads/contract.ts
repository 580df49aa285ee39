import { type Static, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'
import { ShareId, SharePage, ShareParams } from '../shares/contract.ts'

export const MetaData = Type.Object({
  id: Type.String(),
  isZipReady: Type.Boolean(),
  zip: Type.Object({
    state: Type.Enum(['ready', 'preparing', 'failed']),
    progress: Type.Number({ minimum: 0, maximum: 1 }),
    size: Type.Union([Type.Integer({ description: 'bytes' }), Type.Null()]),
  }),
})
export type MetaData = Static<typeof MetaData>

/**
 * The start data of a share's page: the share, so that the server can render it, or that it needs a
 * password.
 */
export type ShareStart = GrantedShare | { access: 'password' }

export interface GrantedShare {
  access: 'granted'
  share: SharePage
  metaData: MetaData
  /** Whether the visitor already has an unlock token, or needs none. */
  entered: boolean
  /** The folder whose files are shown: '' or a path without leading or trailing slash. */
  folder: string
}

/** The calls of a share's visitors. Those that return bytes also support HEAD. */
export const downloadsContract = {
  'GET /api/shares/:id': { summary: 'Get an open share and its files', params: ShareParams, response: SharePage },
  'GET /api/shares/:id/metaData': { summary: 'Get the state of the archive of all files', params: ShareParams, response: MetaData },
  'POST /api/shares/:id/token': {
    summary: 'Open a share: checks the password, counts one view, sets the unlock cookie',
    params: ShareParams,
    body: Type.Union([Type.Object({ password: Type.Optional(Type.String({ maxLength: 1024 })) }), Type.Null()]),
    response: Type.Object({ token: Type.String() }),
  },
  'GET /api/shares/:id/files/zip': { summary: 'Download all files in one ZIP', params: ShareParams, produces: 'application/zip' },
  'GET /api/shares/:id/files/:fileId': {
    summary: 'Download one file; `download=false` shows it in the browser if its type is safe',
    params: Type.Object({ id: ShareId, fileId: Type.String({ maxLength: 100 }) }),
    querystring: Type.Object({ download: Type.Optional(Type.Boolean()) }),
    produces: 'application/octet-stream',
  },
} satisfies Contract
