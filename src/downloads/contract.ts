import { type Static, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'
import { ShareId, SharePage, ShareParams } from '../shares/contract.ts'
import { fileNameMaxBytes } from '../shares/limits.ts'
import { selectedFilesMax, selectedFoldersMax, selectionMaxCharacters } from './limits.ts'

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
 * password, a code by email, or the key of a share whose views are limited.
 */
export type ShareStart = GrantedShare | { access: 'password'; encrypted: boolean } | { access: 'code' } | { access: 'key'; id: string }

export interface GrantedShare {
  access: 'granted'
  /** Only for its creator: the id of the share, which is not that of a further link. */
  ownId?: string
  share: StartShare
  /** null: the page loads it, because it takes long for many files. */
  metaData: MetaData | null
  /** Whether the visitor already has an unlock token, or needs none. */
  entered: boolean
  /** The folder whose files are shown: '' or a path without leading or trailing slash. */
  folder: string
}

/** A share with all files, or one with an overview whose files are the first ones of its folder. */
export interface StartShare extends SharePage {
  overview?: FolderOverview
}

/** What the page of a share with many files shows until it has loaded all of them. */
export interface FolderOverview {
  /** '' or a path without leading or trailing slash. */
  folder: string
  /** Files of the whole share. */
  fileCount: number
  /** The first folders in `folder`, with the count and the bytes of all files in each. */
  folders: { name: string; count: number; size: number }[]
}

/** Files and folders of a share. */
const NewSelection = Type.Object(
  {
    files: Type.Optional(Type.Array(Type.String({ format: 'uuid' }), { maxItems: selectedFilesMax, description: 'IDs of files' })),
    folders: Type.Optional(
      Type.Array(Type.String({ maxLength: fileNameMaxBytes }), {
        maxItems: selectedFoldersMax,
        description: 'paths of folders without slashes at their ends',
      }),
    ),
  },
  { additionalProperties: false },
)

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
  'GET /api/shares/:id/document': {
    summary: 'Get the encrypted document of an encrypted share, which says what its files are',
    params: ShareParams,
    produces: 'application/octet-stream',
  },
  'POST /api/shares/:id/selections': {
    summary: 'Select files and folders: returns the address of their ZIP, valid for 24 hours',
    params: ShareParams,
    body: NewSelection,
    response: Type.Object({ url: Type.String({ description: 'path of the ZIP on this server' }) }),
  },
  'GET /api/shares/:id/files/zip': {
    summary: 'Download all files in one ZIP, or those of a folder or a selection',
    params: ShareParams,
    querystring: Type.Object({
      folder: Type.Optional(Type.String({ maxLength: fileNameMaxBytes, description: 'path of a folder without slashes at its ends' })),
      selection: Type.Optional(Type.String({ maxLength: selectionMaxCharacters, description: 'part of the address of a selection' })),
    }),
    produces: 'application/zip',
  },
  'GET /api/shares/:id/files/:fileId': {
    summary: 'Download one file; `download=false` shows it in the browser if its type is safe',
    params: Type.Object({ id: ShareId, fileId: Type.String({ maxLength: 100 }) }),
    querystring: Type.Object({ download: Type.Optional(Type.Boolean()) }),
    produces: 'application/octet-stream',
  },
} satisfies Contract
