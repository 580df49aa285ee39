import { type Static, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'
import { AskedFields, listedFiles, page, Sender, SharedFile } from '../shares/contract.ts'
import { namePattern } from '../shares/limits.ts'
import * as limits from './limits.ts'

const Token = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) })
const Id = Type.Object({ id: Type.String({ maxLength: 100 }) })
/** ISO-8601 UTC; 1970-01-01T00:00:00.000Z is "never" (compatible calls). */
const Time = Type.String()
const Name = Type.Union([Type.String(), Type.Null()])

export const NewReverseShare = Type.Object({
  token: Type.Optional(
    Type.String({
      minLength: limits.tokenMinLength,
      maxLength: limits.tokenMaxLength,
      pattern: limits.tokenPattern,
      description: 'own link',
    }),
  ),
  name: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: limits.nameMaxLength, pattern: namePattern })),
  shareExpiration: Type.Optional(Type.String({ maxLength: 40, description: 'of the link and of what comes through it' })),
  maxShareSize: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,15}$', description: 'bytes' })),
  maxUseCount: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.usesMax })),
  sendEmailNotification: Type.Optional(Type.Boolean()),
  simplified: Type.Optional(Type.Boolean()),
  publicAccess: Type.Optional(Type.Boolean({ description: 'false: only who made the link, and the sender, see what came' })),
  fields: Type.Optional(Type.Partial(AskedFields)),
  allowedTypes: Type.Optional(
    Type.Array(Type.String({ pattern: limits.allowedTypePattern, maxLength: limits.allowedTypeMaxLength }), {
      maxItems: limits.allowedTypesMax,
      description: 'extensions and media types; empty: every file',
    }),
  ),
  password: Type.Optional(
    Type.Unsafe<string | null>({ type: ['string', 'null'], minLength: limits.passwordMinLength, maxLength: limits.passwordMaxLength }),
  ),
})
export type NewReverseShare = Static<typeof NewReverseShare>

/** A share that came through a link, as the link's maker sees it. */
const ReceivedShare = Type.Object({
  id: Type.String(),
  name: Name,
  description: Name,
  expiration: Time,
  createdAt: Time,
  completedAt: Time,
  changedAt: Type.Union([Time, Type.Null()], { description: 'when its sender last changed it after it arrived' }),
  creator: Type.Union([Type.Object({ username: Type.String() }), Type.Null()]),
  sender: Sender,
  size: Type.Integer({ description: 'bytes' }),
  views: Type.Integer(),
  link: Type.String(),
  fileCount: Type.Integer(),
  files: Type.Array(SharedFile),
})
export type ReceivedShare = Static<typeof ReceivedShare>

export const OwnReverseShare = Type.Object({
  id: Type.String(),
  token: Type.String(),
  link: Type.String(),
  name: Name,
  shareExpiration: Time,
  createdAt: Time,
  maxShareSize: Type.String({ description: 'bytes' }),
  maxUseCount: Type.Integer(),
  remainingUses: Type.Integer(),
  sendEmailNotification: Type.Boolean(),
  simplified: Type.Boolean(),
  publicAccess: Type.Boolean(),
  hasPassword: Type.Boolean(),
  fields: AskedFields,
  allowedTypes: Type.Array(Type.String()),
  shareCount: Type.Integer({ description: 'completed shares that came and were not taken over' }),
  receivedSize: Type.Integer({ description: 'bytes of them' }),
  shares: Type.Array(ReceivedShare, { description: 'them, newest first' }),
})
export type OwnReverseShare = Static<typeof OwnReverseShare>

/** What whoever has the link is told before they send anything. */
export const OpenReverseShare = Type.Object({
  id: Type.String(),
  token: Type.String(),
  name: Name,
  creator: Type.Object({ username: Type.String() }),
  shareExpiration: Time,
  maxShareSize: Type.String({ description: 'bytes' }),
  remainingUses: Type.Integer(),
  simplified: Type.Boolean(),
  publicAccess: Type.Boolean(),
  hasPassword: Type.Boolean(),
  fields: AskedFields,
  allowedTypes: Type.Array(Type.String()),
})
export type OpenReverseShare = Static<typeof OpenReverseShare>

/** Links through which others send files to whoever made them. Sending is the creation of a share with `reverseShareToken`, see `shares/`. */
export const reverseSharesContract = {
  'POST /api/reverseShares': {
    summary: 'Make a link through which others send files',
    body: NewReverseShare,
    response: Type.Object({ id: Type.String(), token: Type.String(), link: Type.String() }),
    status: 201,
  },
  'GET /api/reverseShares': {
    summary:
      'Own links that have not expired, newest first, with what came through them; with `page` or `limit` a page of them; `X-Total-Count` says how many',
    querystring: Type.Object({
      ...page,
      shares: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 200, description: 'at most so many shares of each link, the newest; all when absent' }),
      ),
      files: listedFiles,
    }),
    response: Type.Array(OwnReverseShare),
  },
  'GET /api/reverseShares/:id/shares': {
    summary: 'What came through an own link, newest first; `X-Total-Count` says how many',
    params: Id,
    querystring: Type.Object({ ...page, files: listedFiles }),
    response: Type.Array(ReceivedShare),
  },
  'GET /api/reverseShares/isReverseShareTokenAvailable/:token': {
    summary: 'Whether a link is free',
    params: Token,
    response: Type.Object({ isAvailable: Type.Boolean() }),
  },
  'GET /api/reverseShares/:token': {
    summary: 'A link that can be used; one with a password must be unlocked first',
    params: Token,
    response: OpenReverseShare,
  },
  'POST /api/reverseShares/:token/unlock': {
    summary: 'Unlock a link that has a password; sets the cookie with which it can be used',
    params: Token,
    body: Type.Object({ password: Type.String({ maxLength: 1024 }) }),
    status: 204,
  },
  'DELETE /api/reverseShares/:id': {
    summary: 'Delete a link with everything that came through it and was not taken over',
    params: Id,
  },
} satisfies Contract
