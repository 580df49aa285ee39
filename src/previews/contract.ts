import { Type } from 'typebox'
import type { Contract } from '../http/contract.ts'
import { ShareId } from '../shares/contract.ts'
import { previewPixels, thumbnailPixels } from './limits.ts'

const FileParams = Type.Object({ id: ShareId, fileId: Type.String({ maxLength: 100 }) })

/** The calls of a share's visitors for pictures of its files. They also support HEAD. */
export const previewsContract = {
  'GET /api/shares/:id/files/:fileId/thumbnail': {
    summary: `Get a picture of a file that has a \`preview\`, at most ${thumbnailPixels} pixels wide and high. Counts no view`,
    params: FileParams,
    produces: 'image/webp',
  },
  'GET /api/shares/:id/files/:fileId/preview': {
    summary: `Get a picture of a file that has a \`preview\`, at most ${previewPixels} pixels wide and high. Counts no view`,
    params: FileParams,
    produces: 'image/webp',
  },
} satisfies Contract
