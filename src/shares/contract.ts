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
const TextOrNull = (rules: { minLength?: number; maxLength: number; pattern?: string; format?: string }) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...rules })
const Name = TextOrNull({ maxLength: limits.nameMaxLength, pattern: limits.namePattern })
const Description = TextOrNull({ maxLength: limits.descriptionMaxLength, pattern: limits.descriptionPattern })
const MaxViews = Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: limits.maxViewsMax })
const Recipients = Type.Array(Type.String({ format: 'email', maxLength: limits.emailMaxLength }), { maxItems: limits.recipientsMax })

/** What a reverse share asks of the sender. */
const Asked = Type.Enum(['off', 'optional', 'required'])
export const AskedFields = Type.Object({ name: Asked, email: Asked, message: Asked })
export type AskedFields = Static<typeof AskedFields>

/** Who sent a share through a reverse share, in their own words; null: not asked for, or not said. Only the receiver and the sender see it. */
export const Sender = Type.Object({
  name: Type.Union([Type.String(), Type.Null()]),
  email: Type.Union([Type.String(), Type.Null()]),
  message: Type.Union([Type.String(), Type.Null()]),
})
export type Sender = Static<typeof Sender>

export const NewShare = Type.Object({
  id: Type.Optional(Type.String({ minLength: limits.linkMinLength, maxLength: limits.linkMaxLength, pattern: limits.linkPattern })),
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  expiration: Type.Optional(Type.String({ maxLength: 40 })),
  recipients: Type.Optional(Recipients),
  security: Type.Optional(
    Type.Object({
      password: Type.Optional(
        Type.Union([
          Type.Literal(''),
          Type.String({ minLength: limits.sharePasswordMinLength, maxLength: limits.sharePasswordMaxLength }),
          Type.Null(),
        ]),
      ),
      maxViews: Type.Optional(MaxViews),
    }),
  ),
  reverseShareToken: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 200,
      description: 'sends the share to who made that link; null: an own share, whatever the cookie `reverse_share_token` says',
    }),
  ),
  sender: Type.Optional(
    Type.Object({
      name: Type.Optional(Name),
      email: Type.Optional(TextOrNull({ maxLength: limits.emailMaxLength, format: 'email' })),
      message: Type.Optional(TextOrNull({ maxLength: limits.messageMaxLength, pattern: limits.descriptionPattern })),
    }),
  ),
})
export type NewShare = Static<typeof NewShare>

/** What is absent stays as it is. */
export const ShareChanges = Type.Object({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  expiration: Type.Optional(Type.String({ maxLength: 40, description: 'from now on' })),
  password: Type.Optional(TextOrNull({ minLength: limits.sharePasswordMinLength, maxLength: limits.sharePasswordMaxLength })),
  maxViews: Type.Optional(MaxViews),
  recipients: Type.Optional(Type.Array(Type.String({ format: 'email', maxLength: limits.emailMaxLength }), { description: 'to be added' })),
})
export type ShareChanges = Static<typeof ShareChanges>

export const CreatedShare = Type.Object({
  id: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  expiration: Time,
  description: Type.Union([Type.String(), Type.Null()]),
  link: Type.String(),
  ownerToken: Type.Optional(Type.String()),
  notifyReverseShareCreator: Type.Optional(Type.Boolean()),
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
  editing: Type.Boolean({ description: 'reopened, and not saved since' }),
})
export type OwnShare = Static<typeof OwnShare>

/** What its owner sees of a share: with what is changed but not saved. */
export const OwnerPage = Type.Object({
  ...SharePage.properties,
  files: Type.Array(
    Type.Object({
      ...SharedFile.properties,
      published: Type.Boolean({ description: 'visitors see it, maybe by an older name' }),
      olderName: Type.Union([Type.String(), Type.Null()], { description: 'by which visitors see it until the share is saved' }),
    }),
  ),
  removedFiles: Type.Array(SharedFile, { description: 'visitors see them until the share is saved' }),
  unfinishedFiles: Type.Array(SharedFile, { description: 'announced, and not all there' }),
  views: Type.Integer(),
  maxViews: Type.Union([Type.Integer(), Type.Null()]),
  maxSize: Type.Integer({ description: 'bytes that all its files may have together' }),
  completed: Type.Boolean(),
  editing: Type.Boolean({ description: 'reopened, and not saved since' }),
  link: Type.String(),
  received: Type.Boolean({ description: 'came through a reverse share and was not taken over' }),
  changedAt: Type.Union([Time, Type.Null()], { description: 'when its sender last changed it after it arrived' }),
  editable: Type.Boolean({ description: 'the caller may change it; who received it takes it over first' }),
  removedReason: Type.Union([Type.String(), Type.Null()], { description: 'why visitors no longer see it' }),
  sender: Type.Union([Sender, Type.Null()]),
})
export type OwnerPage = Static<typeof OwnerPage>

export const Recipient = Type.Object({
  id: Type.String(),
  email: Type.String(),
  state: Type.Enum(['waiting', 'queued', 'sent', 'failed'], { description: 'waiting: for the share to be completed' }),
  error: Type.Union([Type.String(), Type.Null()]),
  sentAt: Type.Union([Time, Type.Null()]),
})
export type Recipient = Static<typeof Recipient>

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

/** Of which a list has all when it is asked for neither. */
export const page = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
}
export const listedFiles = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 1000, description: 'at most so many files of each share, by name; all when absent' }),
)
const search = Type.Optional(Type.String({ maxLength: 200 }))
const SortKey = Type.Enum(['name', 'creator', 'views', 'size', 'expiration', 'createdAt'])
export type SortKey = Static<typeof SortKey>

/** The owner's side of a share. What a visitor sees is in `downloads/`. */
export const sharesContract = {
  'GET /api/shares': {
    summary: 'Own completed shares, newest first; with `page` or `limit` a page of them and `X-Total-Count`',
    querystring: Type.Object({ ...page, search, files: listedFiles }),
    response: Type.Array(OwnShare),
  },
  'GET /api/shares/all': {
    summary: 'Every share, newest first unless said otherwise; `X-Total-Count` says how many (administrators)',
    querystring: Type.Object({ ...page, search, sort: Type.Optional(SortKey), order: Type.Optional(Type.Enum(['asc', 'desc'])) }),
    response: Type.Array(AnyShare),
  },
  'POST /api/shares': {
    summary: 'Create a share; it opens when its upload is completed',
    body: NewShare,
    response: CreatedShare,
    status: 201,
  },
  'GET /api/shares/:id/from-owner': {
    summary: 'A share as its owner sees it, with changes that are not saved yet',
    params: ShareParams,
    response: OwnerPage,
  },
  'GET /api/shares/isShareIdAvailable/:id': {
    summary: 'Whether a link is free',
    params: ShareParams,
    response: Type.Object({ isAvailable: Type.Boolean() }),
  },
  'POST /api/shares/:id/complete': {
    summary: 'Open the share to its visitors, or show them all that was changed since it was reopened',
    params: ShareParams,
    response: CreatedShare,
    status: 202,
  },
  'DELETE /api/shares/:id/complete': {
    summary: 'Reopen a share for editing; visitors keep seeing its last completed state',
    params: ShareParams,
    response: CreatedShare,
  },
  'POST /api/shares/:id/restore': {
    summary: 'End editing without saving: the share is again as its visitors see it',
    params: ShareParams,
    response: CreatedShare,
  },
  'PATCH /api/shares/:id': {
    summary: 'Change what is said about a share, its password or its limits, at once; a new password ends unlock tokens',
    params: ShareParams,
    body: ShareChanges,
    response: OwnerPage,
  },
  'POST /api/shares/:id/adopt': {
    summary: 'Take over a share that came through a reverse share: it becomes an own one, to be edited and shared on',
    params: ShareParams,
    response: OwnerPage,
  },
  'GET /api/shares/:id/recipients': {
    summary: 'Who is told of a share by e-mail, and what became of it',
    params: ShareParams,
    response: Type.Array(Recipient),
  },
  'POST /api/shares/:id/recipients/:recipientId/retry': {
    summary: 'Send a failed e-mail once more',
    params: Type.Object({ id: ShareId, recipientId: Type.String({ maxLength: 100 }) }),
    response: Recipient,
  },
  'DELETE /api/shares/:id': { summary: 'Delete a share and its bytes', params: ShareParams },
} satisfies Contract
