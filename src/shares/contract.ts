import { type Static, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'
import * as limits from './limits.ts'

export const ShareId = Type.String({ minLength: 1, maxLength: 200 })
export const ShareParams = Type.Object({ id: ShareId })
/** ISO-8601 UTC; 1970-01-01T00:00:00.000Z is "never" (compatible calls). */
const Time = Type.String()

export const SharedFile = Type.Object({ id: Type.String(), name: Type.String(), size: Type.String({ description: 'bytes' }) })
export type SharedFile = Static<typeof SharedFile>

/** What a visitor sees of an open share. */
export const SharePage = Type.Object({
  id: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  expiration: Time,
  files: Type.Array(SharedFile),
  creator: Type.Union([Type.Object({ username: Type.String() }), Type.Null()]),
  description: Type.Union([Type.String(), Type.Null()]),
  hasPassword: Type.Boolean(),
  size: Type.Integer({ description: 'bytes' }),
})
export type SharePage = Static<typeof SharePage>

/** One type keyword in place of a union: each broken rule is then one issue. */
const TextOrNull = (rules: { maxLength: number; pattern: string }) => Type.Unsafe<string | null>({ type: ['string', 'null'], ...rules })

export const NewShare = Type.Object({
  id: Type.Optional(Type.String({ minLength: limits.linkMinLength, maxLength: limits.linkMaxLength, pattern: limits.linkPattern })),
  name: Type.Optional(TextOrNull({ maxLength: limits.nameMaxLength, pattern: limits.namePattern })),
  description: Type.Optional(TextOrNull({ maxLength: limits.descriptionMaxLength, pattern: limits.descriptionPattern })),
  expiration: Type.Optional(Type.String({ maxLength: 40 })),
  recipients: Type.Optional(Type.Array(Type.String({ format: 'email', maxLength: 254 }), { maxItems: limits.recipientsMax })),
  security: Type.Optional(
    Type.Object({
      password: Type.Optional(
        Type.Union([
          Type.Literal(''),
          Type.String({ minLength: limits.sharePasswordMinLength, maxLength: limits.sharePasswordMaxLength }),
          Type.Null(),
        ]),
      ),
      maxViews: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: limits.maxViewsMax }), Type.Null()])),
    }),
  ),
})
export type NewShare = Static<typeof NewShare>

export const CreatedShare = Type.Object({
  id: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  expiration: Time,
  description: Type.Union([Type.String(), Type.Null()]),
  link: Type.String(),
  ownerToken: Type.Optional(Type.String()),
})

export type CreatedShare = Static<typeof CreatedShare>

export const OwnShare = Type.Object({
  id: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  description: Type.Union([Type.String(), Type.Null()]),
  expiration: Time,
  createdAt: Time,
  size: Type.Integer({ description: 'bytes' }),
  views: Type.Integer(),
  fileCount: Type.Integer(),
  link: Type.String(),
  recipients: Type.Array(Type.String()),
  files: Type.Array(SharedFile),
  security: Type.Object({ passwordProtected: Type.Boolean(), maxViews: Type.Union([Type.Integer(), Type.Null()]) }),
})
export type OwnShare = Static<typeof OwnShare>

const AnyShare = Type.Object({
  id: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  description: Type.Union([Type.String(), Type.Null()]),
  expiration: Time,
  createdAt: Time,
  size: Type.Integer({ description: 'bytes' }),
  views: Type.Integer(),
  completed: Type.Boolean(),
  link: Type.String(),
  creator: Type.Union([Type.Object({ username: Type.String() }), Type.Null()]),
})

const page = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  search: Type.Optional(Type.String({ maxLength: 200 })),
}
const SortKey = Type.Enum(['name', 'creator', 'views', 'size', 'expiration', 'createdAt'])
export type SortKey = Static<typeof SortKey>

/** The owner's side of a share. What a visitor sees is in `downloads/`. */
export const sharesContract = {
  'GET /api/shares': {
    summary: 'Own completed shares, newest first; with `page` or `limit` a page of them and `X-Total-Count`',
    querystring: Type.Object(page),
    response: Type.Array(OwnShare),
  },
  'GET /api/shares/all': {
    summary: 'Every share, newest first unless said otherwise; `X-Total-Count` says how many (administrators)',
    querystring: Type.Object({ ...page, sort: Type.Optional(SortKey), order: Type.Optional(Type.Enum(['asc', 'desc'])) }),
    response: Type.Array(AnyShare),
  },
  'POST /api/shares': {
    summary: 'Create a share; it opens when its upload is completed',
    body: NewShare,
    response: CreatedShare,
    status: 201,
  },
  'GET /api/shares/:id/from-owner': { summary: 'A share as its owner sees it', params: ShareParams, response: SharePage },
  'GET /api/shares/isShareIdAvailable/:id': {
    summary: 'Whether a link is free',
    params: ShareParams,
    response: Type.Object({ isAvailable: Type.Boolean() }),
  },
  'POST /api/shares/:id/complete': { summary: 'Open the share to its visitors', params: ShareParams, response: CreatedShare, status: 202 },
  'DELETE /api/shares/:id': { summary: 'Delete a share and its bytes', params: ShareParams },
} satisfies Contract
