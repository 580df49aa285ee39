import { type Static, Type } from 'typebox'
import type { Contract } from '../../http/contract.ts'
import { pageQuery, Time } from '../../shares/contract.ts'
import { Id } from '../contract.ts'

/** What a visitor did with an upload link. */
export const UploadLinkActivity = Type.Object({
  at: Time,
  kind: Type.Enum(['opened', 'begun', 'received', 'refused'], {
    description: 'begun: the sender has started an upload; received: the upload is complete',
  }),
  link: Type.String({ description: 'the token that the link had' }),
  visitor: Type.String({ description: 'a pseudonym that differs between links' }),
  share: Type.Optional(Type.String({ description: 'the id that the share had when it was sent' })),
  files: Type.Optional(Type.Integer({ description: 'files of a received share' })),
  bytes: Type.Optional(Type.Integer({ description: 'size of a received share' })),
  senderName: Type.Optional(Type.String({ description: 'as the sender has entered it' })),
  senderEmail: Type.Optional(Type.String({ description: 'as the sender has entered it' })),
  reason: Type.Optional(Type.String({ description: 'the code of the error, `expired` or `used_up`, if it was refused' })),
  device: Type.Optional(Type.String({ description: 'such as `Firefox on Windows`' })),
  address: Type.Optional(Type.String({ description: 'as far as `share.activityAddresses` allows' })),
})
export type UploadLinkActivity = Static<typeof UploadLinkActivity>

/** The calls for what happened through an upload link. */
export const reverseActivityContract = {
  'GET /api/reverseShares/:id/activity': {
    summary: 'List who opened an upload link and sent files through it, newest first (only for the owner); `X-Total-Count` has the total',
    params: Id,
    querystring: Type.Object(pageQuery),
    response: Type.Array(UploadLinkActivity),
  },
  'GET /api/reverseShares/:id/activity.csv': {
    summary: 'Get the newest 10,000 entries of the activity of an upload link as a table (only for the owner)',
    params: Id,
    produces: 'text/csv',
  },
  'GET /api/reverseShares/:id/activity/counts': {
    summary: 'Count the entries of the activity of an upload link by kind (owner and administrators)',
    params: Id,
    response: Type.Object({
      opened: Type.Integer(),
      begun: Type.Integer(),
      received: Type.Integer(),
      refused: Type.Integer(),
    }),
  },
} satisfies Contract
