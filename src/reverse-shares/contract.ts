import { type Static, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'
import { AskedFields, fileLimitQuery, pageQuery, Sender, SharedFile, Time } from '../shares/contract.ts'
import { namePattern } from '../shares/limits.ts'
import * as limits from './limits.ts'

const Token = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) })
export const Id = Type.Object({ id: Type.String({ maxLength: 100 }) })
const Name = Type.Union([Type.String(), Type.Null()])
const MaxUses = (description: string) =>
  Type.Optional(Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: limits.usesMax, description }))
/** null: no limit. */
const UsesOrNull = Type.Union([Type.Integer(), Type.Null()])

const bytesPattern = '^[1-9][0-9]{0,15}$'
const CustomToken = Type.Optional(
  Type.String({
    minLength: limits.tokenMinLength,
    maxLength: limits.tokenMaxLength,
    pattern: limits.tokenPattern,
    'x-rule': 'can only contain letters from A to Z, numbers, hyphens and underscores',
    description: 'custom link',
  }),
)

export const NewReverseShare = Type.Object({
  token: CustomToken,
  name: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: limits.nameMaxLength, pattern: namePattern })),
  shareExpiration: Type.Optional(
    Type.String({ maxLength: 40, description: 'expiration of the link and of the shares received through it' }),
  ),
  maxShareSize: Type.Optional(Type.String({ pattern: bytesPattern, description: 'bytes' })),
  maxTotalSize: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      pattern: bytesPattern,
      description: 'bytes of all received shares that were neither deleted nor adopted; null: no limit',
    }),
  ),
  maxUseCount: MaxUses('null: no limit; 1 when absent'),
  enabled: Type.Optional(Type.Boolean({ description: 'false: visitors are shown that the link is turned off' })),
  sendEmailNotification: Type.Optional(Type.Boolean()),
  simplified: Type.Optional(Type.Boolean()),
  publicAccess: Type.Optional(Type.Boolean({ description: "false: only the link's creator and the sender can see received shares" })),
  fields: Type.Optional(Type.Partial(AskedFields, { additionalProperties: false })),
  allowedTypes: Type.Optional(
    Type.Array(Type.String({ pattern: limits.allowedTypePattern, maxLength: limits.allowedTypeMaxLength }), {
      maxItems: limits.allowedTypesMax,
      description: 'accepted extensions and media types; empty: all files',
    }),
  ),
  password: Type.Optional(
    Type.Unsafe<string | null>({ type: ['string', 'null'], minLength: limits.passwordMinLength, maxLength: limits.passwordMaxLength }),
  ),
})
export type NewReverseShare = Static<typeof NewReverseShare>

const { token: _token, ...changeable } = NewReverseShare.properties

/** Absent fields stay unchanged. The link itself can only be replaced, because senders have it. */
export const ReverseShareChanges = Type.Object(
  {
    ...changeable,
    maxUseCount: MaxUses('null: no limit'),
  },
  { additionalProperties: false },
)
export type ReverseShareChanges = Static<typeof ReverseShareChanges>

/** A share received through an upload link, as the link's creator sees it. */
const ReceivedShare = Type.Object({
  id: Type.String(),
  name: Name,
  description: Name,
  expiration: Time,
  createdAt: Time,
  completedAt: Time,
  changedAt: Type.Union([Time, Type.Null()], { description: 'when the sender last changed it after it was received' }),
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
  enabled: Type.Boolean(),
  maxShareSize: Type.String({ description: 'bytes' }),
  maxTotalSize: Type.Union([Type.String({ description: 'bytes' }), Type.Null()]),
  maxUseCount: UsesOrNull,
  remainingUses: UsesOrNull,
  sendEmailNotification: Type.Boolean(),
  simplified: Type.Boolean(),
  publicAccess: Type.Boolean(),
  hasPassword: Type.Boolean(),
  fields: AskedFields,
  allowedTypes: Type.Array(Type.String()),
  shareCount: Type.Integer({ description: 'received shares that were not adopted' }),
  receivedSize: Type.Integer({ description: 'total size of these shares in bytes' }),
  shares: Type.Array(ReceivedShare, { description: 'these shares, newest first' }),
})
export type OwnReverseShare = Static<typeof OwnReverseShare>

/** An upload link as visitors see it. */
export const OpenReverseShare = Type.Object({
  id: Type.String(),
  token: Type.String(),
  name: Name,
  creator: Type.Object({ username: Type.String() }),
  shareExpiration: Time,
  maxShareSize: Type.String({ description: 'bytes' }),
  remainingUses: UsesOrNull,
  simplified: Type.Boolean(),
  publicAccess: Type.Boolean(),
  hasPassword: Type.Boolean(),
  fields: AskedFields,
  allowedTypes: Type.Array(Type.String()),
})
export type OpenReverseShare = Static<typeof OpenReverseShare>

/**
 * The calls for upload links. Files are sent by creating a share with `reverseShareToken`, see
 * `shares/`.
 */
export const reverseSharesContract = {
  'POST /api/reverseShares': {
    summary: 'Create an upload link',
    body: NewReverseShare,
    response: Type.Object({ id: Type.String(), token: Type.String(), link: Type.String() }),
    status: 201,
  },
  'GET /api/reverseShares': {
    summary:
      'List own unexpired upload links with the received shares, newest first; `page` and `limit` select a page, `X-Total-Count` has the total',
    querystring: Type.Object({
      ...pageQuery,
      shares: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 200,
          description: 'maximum number of shares listed for each link, newest first; all when absent',
        }),
      ),
      files: fileLimitQuery,
    }),
    response: Type.Array(OwnReverseShare),
  },
  'GET /api/reverseShares/:id/shares': {
    summary: 'List the shares received through an own upload link, newest first; `X-Total-Count` has the total',
    params: Id,
    querystring: Type.Object({ ...pageQuery, files: fileLimitQuery }),
    response: Type.Array(ReceivedShare),
  },
  'GET /api/reverseShares/isReverseShareTokenAvailable/:token': {
    summary: 'Check whether an upload link is available',
    params: Token,
    response: Type.Object({ isAvailable: Type.Boolean() }),
  },
  'GET /api/reverseShares/:token': {
    summary: 'Get a usable upload link; one with a password must be unlocked first',
    params: Token,
    response: OpenReverseShare,
  },
  'POST /api/reverseShares/:token/unlock': {
    summary: 'Unlock an upload link with its password; sets a cookie',
    params: Token,
    body: Type.Object({ password: Type.String({ maxLength: 1024 }) }),
    status: 204,
  },
  'DELETE /api/reverseShares/:id': {
    summary: 'Delete an upload link and all received shares that were not adopted; they can be restored for 30 seconds',
    params: Id,
  },
  'PATCH /api/reverseShares/:id': {
    summary: 'Change an own upload link; its expiration is also that of the shares received through it',
    params: Id,
    body: ReverseShareChanges,
    response: Type.Object({ id: Type.String(), token: Type.String(), link: Type.String() }),
  },
  'POST /api/reverseShares/:id/replace': {
    summary: 'Give an own upload link a new token; the old link stops',
    params: Id,
    body: Type.Unsafe<{ token?: string } | null>({
      type: ['object', 'null'],
      properties: { token: CustomToken },
      additionalProperties: false,
    }),
    response: Type.Object({ id: Type.String(), token: Type.String(), link: Type.String() }),
  },
  'POST /api/reverseShares/notices/off': {
    summary: 'Turn off the emails about shares received through an upload link, with the token of a link in such an email',
    status: 204,
    body: Type.Object({ token: Type.String({ maxLength: 200 }) }, { additionalProperties: false }),
  },
  'POST /api/reverseShares/:id/undelete': {
    summary: 'Restore an upload link that the caller deleted less than 30 seconds ago, with its received shares',
    params: Id,
    status: 204,
  },
} satisfies Contract
