import { type Static, Type } from 'typebox'
import { daysMax } from '../../activity/days.ts'
import type { Contract } from '../../http/contract.ts'
import { pageQuery, ShareParams, Time } from '../contract.ts'

const Kind = Type.Enum(['opened', 'downloaded', 'partly', 'refused', 'handed-out'], {
  description: 'partly: not all bytes were sent yet; handed-out: the store or a proxy sends the bytes, so it is unknown how many arrived',
})

/** What a visitor did, or several requests of one download. */
export const Activity = Type.Object({
  at: Time,
  kind: Kind,
  link: Type.String({ description: 'the id that the link had' }),
  currentLink: Type.Optional(Type.String({ description: 'the id that the link has now, if it was replaced' })),
  visitor: Type.String({ description: 'a pseudonym that differs between links' }),
  file: Type.Optional(Type.String({ description: 'absent for a ZIP' })),
  zip: Type.Boolean(),
  bytes: Type.Optional(Type.Integer({ description: 'sent so far' })),
  size: Type.Optional(Type.Integer({ description: 'bytes' })),
  complete: Type.Boolean({ description: 'all bytes were sent to this visitor' }),
  reason: Type.Optional(Type.String({ description: 'the code of the error, if it was refused' })),
  device: Type.Optional(Type.String({ description: 'such as `Firefox on Windows`' })),
  address: Type.Optional(Type.String({ description: 'as far as `share.activityAddresses` allows' })),
  recipient: Type.Optional(Type.String({ description: 'the email address of the recipient that the link belongs to' })),
})
export type Activity = Static<typeof Activity>

const counts = {
  opened: Type.Integer(),
  downloaded: Type.Integer(),
  partly: Type.Integer(),
  refused: Type.Integer(),
  'handed-out': Type.Integer(),
}

/** How many entries of each kind a day has. */
export const ActivityDay = Type.Object({ day: Type.String({ description: 'such as `2026-12-24`' }), ...counts })
export type ActivityDay = Static<typeof ActivityDay>

/** The calls for what happened through the links of a share. */
export const activityContract = {
  'GET /api/shares/:id/activity': {
    summary: 'List what visitors opened and downloaded, newest first (only for the owner); `X-Total-Count` has the total',
    params: ShareParams,
    querystring: Type.Object(pageQuery),
    response: Type.Array(Activity),
  },
  'GET /api/shares/:id/activity.csv': {
    summary: 'Get the newest 10,000 entries of the activity as a table (only for the owner)',
    params: ShareParams,
    produces: 'text/csv',
  },
  'GET /api/shares/:id/activity/counts': {
    summary: 'Count the entries of the activity by kind (owner and administrators)',
    params: ShareParams,
    response: Type.Object(counts),
  },
  'GET /api/shares/:id/activity/days': {
    summary: 'Count the entries of the activity by kind on each of the last days, the oldest first (only for the owner)',
    params: ShareParams,
    querystring: Type.Object({
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: daysMax, description: 'today included; 14 when absent' })),
      timeZone: Type.Optional(Type.String({ maxLength: 64, description: 'in which days begin, such as `Europe/Berlin`; UTC when absent' })),
    }),
    response: Type.Array(ActivityDay),
  },
} satisfies Contract
