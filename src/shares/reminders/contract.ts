import { Type } from 'typebox'
import type { Contract } from '../../http/contract.ts'
import { ShareParams } from '../contract.ts'

/** The calls for reopening expired shares and for emails about downloads. */
export const remindersContract = {
  'POST /api/shares/:id/askToReopen': {
    summary: 'Ask the sender of an expired share by email to reopen it; the sender gets at most one such email a day',
    status: 204,
    params: ShareParams,
  },
  'POST /api/shares/notices/off': {
    summary: 'Turn off the emails about downloads of a share, with the token of a link in such an email',
    status: 204,
    body: Type.Object({ token: Type.String({ maxLength: 200 }) }, { additionalProperties: false }),
  },
} satisfies Contract
