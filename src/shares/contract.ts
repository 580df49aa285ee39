import { type Static, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'
import * as limits from './limits.ts'

export const ShareId = Type.String({ minLength: 1, maxLength: 200 })
export const ShareParams = Type.Object({ id: ShareId })
/** The ids of the shares that a call concerns. */
export const ShareIds = Type.Object({ ids: Type.Array(ShareId, { minItems: 1, maxItems: limits.idsMax }) }, { additionalProperties: false })
/** The ids of the shares that a call has changed. */
const ChangedShareIds = Type.Object({ ids: Type.Array(Type.String()) })
/**
 * ISO 8601 in UTC. 1970-01-01T00:00:00.000Z means "never", for compatibility with Pingvin Share.
 */
export const Time = Type.String()
/** The id of a new link. */
export const LinkId = Type.String({
  minLength: limits.linkMinLength,
  maxLength: limits.linkMaxLength,
  pattern: limits.linkPattern,
  'x-rule': 'can only contain letters from A to Z, numbers, hyphens and underscores',
})

export const FilePreview = Type.Object(
  {
    kind: Type.Enum(['image', 'raw', 'video', 'document'], { description: 'what it was made of' }),
    width: Type.Integer({ description: 'pixels of the upright picture that it was made of, which may be larger than the preview' }),
    height: Type.Integer(),
  },
  { description: 'absent while there is no preview' },
)
export type FilePreview = Static<typeof FilePreview>

export const SharedFile = Type.Object({
  id: Type.String(),
  name: Type.String(),
  size: Type.String({ description: 'bytes' }),
  preview: Type.Optional(FilePreview),
})
export type SharedFile = Static<typeof SharedFile>

const Kind = Type.Enum(['files', 'text'], { description: 'text: a text that was entered instead of files; it is in the only file' })

const Encrypted = Type.Boolean({ description: 'end-to-end: names, description and contents are encrypted, see docs/encryption.md' })

/** A public share as visitors see it. */
export const SharePage = Type.Object({
  id: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  expiration: Time,
  files: Type.Array(SharedFile),
  creator: Type.Union([Type.Object({ username: Type.String() }), Type.Null()]),
  description: Type.Union([Type.String(), Type.Null()]),
  hasPassword: Type.Boolean(),
  size: Type.Integer({ description: 'bytes' }),
  kind: Kind,
  encrypted: Encrypted,
  downloadsLeft: Type.Optional(Type.Integer({ description: 'absent: downloads are not limited' })),
})
export type SharePage = Static<typeof SharePage>

/** A single schema instead of a union, so that each broken rule is reported as one issue. */
export const TextOrNull = (rules: { minLength?: number; maxLength: number; pattern?: string; format?: string }) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...rules })
export const Name = TextOrNull({ maxLength: limits.nameMaxLength, pattern: limits.namePattern })
const Description = TextOrNull({ maxLength: limits.descriptionMaxLength, pattern: limits.descriptionPattern })
export const MaxViews = Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: limits.maxViewsMax })
export const MaxDownloads = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 1,
  maximum: limits.maxDownloadsMax,
  description: 'how many visitors can download; each can fetch every file once, or all in one ZIP',
})
const DeleteAfterDownloads = Type.Boolean({ description: 'deletes the share after the last download that its links allow' })
const Notify = Type.Enum(['none', 'first', 'every'], {
  description: 'the downloads that its owner gets an email about; one email at most every five minutes',
})
const VerifyRecipients = Type.Boolean({
  description: "recipients' links open only with a code that is sent to their address; applies to all links of recipients",
})
const Recipients = Type.Array(Type.String({ format: 'email', maxLength: limits.emailMaxLength }), { maxItems: limits.recipientsMax })

/** Whether a reverse share asks the sender for a field. */
const Asked = Type.Enum(['off', 'optional', 'required'])
export const AskedFields = Type.Object({ name: Asked, email: Asked, message: Asked })
export type AskedFields = Static<typeof AskedFields>

/**
 * The sender's details of a share sent through a reverse share. Only the receiver and the sender
 * see them. A field is null if it was not requested or not filled in.
 */
export const Sender = Type.Object({
  name: Type.Union([Type.String(), Type.Null()]),
  email: Type.Union([Type.String(), Type.Null()]),
  message: Type.Union([Type.String(), Type.Null()]),
})
export type Sender = Static<typeof Sender>

export const NewShare = Type.Object({
  id: Type.Optional(LinkId),
  kind: Type.Optional(Kind),
  encrypted: Type.Optional(Type.Boolean({ description: 'end-to-end: without name and description, and files have random names' })),
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  expiration: Type.Optional(Type.String({ maxLength: 40 })),
  recipients: Type.Optional(Recipients),
  verifyRecipients: Type.Optional(VerifyRecipients),
  notify: Type.Optional(Notify),
  security: Type.Optional(
    Type.Object(
      {
        password: Type.Optional(
          Type.Union([
            Type.Literal(''),
            Type.String({ minLength: limits.sharePasswordMinLength, maxLength: limits.sharePasswordMaxLength }),
            Type.Null(),
          ]),
        ),
        maxViews: Type.Optional(MaxViews),
        maxDownloads: Type.Optional(MaxDownloads),
        deleteAfterDownloads: Type.Optional(DeleteAfterDownloads),
      },
      { additionalProperties: false }, // a misspelled rule must not leave the share open
    ),
  ),
  reverseShareToken: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 200,
      description:
        'sends the share to the creator of that upload link; null creates an own share and ignores the cookie `reverse_share_token`',
    }),
  ),
  sender: Type.Optional(
    Type.Object(
      {
        name: Type.Optional(Name),
        email: Type.Optional(TextOrNull({ maxLength: limits.emailMaxLength, format: 'email' })),
        message: Type.Optional(TextOrNull({ maxLength: limits.messageMaxLength, pattern: limits.descriptionPattern })),
      },
      { additionalProperties: false },
    ),
  ),
})
export type NewShare = Static<typeof NewShare>

/** Absent fields stay unchanged. */
export const ShareChanges = Type.Object(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    expiration: Type.Optional(Type.String({ maxLength: 40, description: 'relative to now' })),
    password: Type.Optional(TextOrNull({ minLength: limits.sharePasswordMinLength, maxLength: limits.sharePasswordMaxLength })),
    maxViews: Type.Optional(MaxViews),
    maxDownloads: Type.Optional(MaxDownloads),
    deleteAfterDownloads: Type.Optional(DeleteAfterDownloads),
    notify: Type.Optional(Notify),
    publicAccess: Type.Optional(
      Type.Boolean({ description: 'anyone with the link can open it; otherwise only its owner. Only owners can change it' }),
    ),
    recipients: Type.Optional(
      Type.Array(Type.String({ format: 'email', maxLength: limits.emailMaxLength }), { description: 'added to the recipients' }),
    ),
    verifyRecipients: Type.Optional(VerifyRecipients),
  },
  { additionalProperties: false }, // a misspelled password must not leave the share open
)
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
  keptUntil: Type.Union([Time, Type.Null()], { description: 'when an expired share is deleted' }),
  createdAt: Time,
  size: Type.Integer({ description: 'bytes' }),
  views: Type.Integer({ description: 'visits through the first link' }),
  totalViews: Type.Integer({ description: 'visits through all links' }),
  fileCount: Type.Integer(),
  kind: Kind,
  encrypted: Encrypted,
  link: Type.String(),
  recipients: Type.Array(Type.String()),
  files: Type.Array(SharedFile),
  security: Type.Object({ passwordProtected: Type.Boolean(), maxViews: Type.Union([Type.Integer(), Type.Null()]) }),
  editing: Type.Boolean({ description: 'reopened and not saved yet' }),
  received: Type.Boolean({ description: 'received through a reverse share and not adopted' }),
})
export type OwnShare = Static<typeof OwnShare>

/** A share as its owner sees it, with unsaved changes. */
export const OwnerPage = Type.Object({
  ...SharePage.properties,
  files: Type.Array(
    Type.Object({
      ...SharedFile.properties,
      published: Type.Boolean({ description: 'visitors see it, possibly by an older name' }),
      olderName: Type.Union([Type.String(), Type.Null()], { description: 'the name that visitors see until the share is saved' }),
    }),
  ),
  removedFiles: Type.Array(SharedFile, { description: 'visitors see them until the share is saved' }),
  unfinishedFiles: Type.Array(SharedFile, { description: 'announced, but not completely uploaded' }),
  views: Type.Integer(),
  maxViews: Type.Union([Type.Integer(), Type.Null()]),
  downloads: Type.Integer({ description: 'through the first link' }),
  maxDownloads: Type.Union([Type.Integer(), Type.Null()]),
  deleteAfterDownloads: Type.Boolean(),
  notify: Notify,
  verifyRecipients: VerifyRecipients,
  maxSize: Type.Integer({ description: 'maximum total size of its files in bytes' }),
  completed: Type.Boolean(),
  editing: Type.Boolean({ description: 'reopened and not saved yet' }),
  link: Type.String(),
  publicAccess: Type.Boolean({ description: 'anyone with the link can open it; otherwise only sender and receiver, or its owner' }),
  received: Type.Boolean({ description: 'received through a reverse share and not adopted' }),
  changedAt: Type.Union([Time, Type.Null()], { description: 'when the sender last changed it after it was received' }),
  editable: Type.Boolean({ description: 'the caller can change it; a receiver must adopt it first' }),
  removedReason: Type.Union([Type.String(), Type.Null()], { description: 'why visitors no longer see it' }),
  sender: Type.Union([Sender, Type.Null()]),
})
export type OwnerPage = Static<typeof OwnerPage>

export const Recipient = Type.Object({
  id: Type.String(),
  email: Type.String(),
  state: Type.Enum(['waiting', 'queued', 'sent', 'failed'], { description: 'waiting: the share is not completed yet' }),
  error: Type.Union([Type.String(), Type.Null()]),
  sentAt: Type.Union([Time, Type.Null()]),
  link: Type.Union([Type.String(), Type.Null()], {
    description: 'the id of their own link; null: they got the first one, or no email yet',
  }),
  verifyEmail: Type.Boolean({ description: 'their link opens only with a code that is sent to them' }),
  openedAt: Type.Union([Time, Type.Null()], { description: 'when they first opened their link; null also if it is unknown' }),
  downloads: Type.Integer({ description: 'files and ZIPs that were sent completely through their link' }),
  downloaded: Type.Union([Type.Enum(['none', 'some', 'all']), Type.Null()], {
    description: 'all: every file, or a ZIP of all; a text counts when it is opened; null: unknown, because the activity is turned off',
  }),
  downloadedAt: Type.Union([Time, Type.Null()], { description: 'when they last downloaded something completely' }),
  handedOut: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'the store or a proxy sends them something, so it is unknown how much arrived',
  }),
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
  kind: Kind,
  encrypted: Encrypted,
  firstFile: Type.Union([Type.String(), Type.Null()], { description: 'the name of the first published file' }),
  fileCount: Type.Integer(),
})

/** Query parameters of a list. Without both, the list has the first 1,000 items. */
export const pageQuery = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
}
export const fileLimitQuery = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 1000,
    description: 'maximum number of files listed for each share, sorted by name; 20 when absent',
  }),
)
const search = Type.Optional(Type.String({ maxLength: 200 }))
const SortKey = Type.Enum(['name', 'creator', 'views', 'size', 'expiration', 'createdAt'])
export type SortKey = Static<typeof SortKey>
const OwnSortKey = Type.Enum(['name', 'views', 'size', 'expiration', 'createdAt'])
export type OwnSortKey = Static<typeof OwnSortKey>
const order = Type.Optional(Type.Enum(['asc', 'desc']))
const ShareFilter = Type.Enum(['active', 'ended', 'expiring', 'expired', 'password', 'received'], {
  description:
    'active: visitors can open it; ended: its visit limit is reached or it was removed; expiring: within 7 days; expired: own and received shares that have expired and can be reopened; received: shares received through reverse shares instead of own ones',
})
export type ShareFilter = Static<typeof ShareFilter>

/** The calls for owners of shares. The calls for visitors are in `downloads/`. */
export const sharesContract = {
  'GET /api/shares': {
    summary: 'List own completed shares, by default newest first; `page` and `limit` select a page, `X-Total-Count` has the total',
    querystring: Type.Object({
      ...pageQuery,
      search,
      sort: Type.Optional(OwnSortKey),
      order,
      filter: Type.Optional(ShareFilter),
      files: fileLimitQuery,
    }),
    response: Type.Array(OwnShare),
  },
  'GET /api/shares/all': {
    summary:
      'List all shares, by default newest first; `X-Total-Count` has the total, of a search up to 10,001 (administrators). ' +
      'With more than 100,000 shares, the total is up to a minute old',
    querystring: Type.Object({ ...pageQuery, search, sort: Type.Optional(SortKey), order }),
    response: Type.Array(AnyShare),
  },
  'POST /api/shares': {
    summary: 'Create a share; visitors can open it when its upload is completed',
    body: NewShare,
    response: CreatedShare,
    status: 201,
  },
  'GET /api/shares/:id/from-owner': {
    summary: 'Get a share as its owner sees it, with unsaved changes',
    params: ShareParams,
    response: OwnerPage,
  },
  'GET /api/shares/isShareIdAvailable/:id': {
    summary: 'Check whether a link is available',
    params: ShareParams,
    response: Type.Object({ isAvailable: Type.Boolean() }),
  },
  'POST /api/shares/:id/complete': {
    summary: 'Publish a share, or publish all changes since it was reopened',
    params: ShareParams,
    response: CreatedShare,
    status: 202,
  },
  'DELETE /api/shares/:id/complete': {
    summary: 'Reopen a share for editing; visitors still see its last published state',
    params: ShareParams,
    response: CreatedShare,
  },
  'POST /api/shares/:id/restore': {
    summary: 'Discard all unsaved changes and stop editing',
    params: ShareParams,
    response: CreatedShare,
  },
  'PATCH /api/shares/:id': {
    summary: 'Change the details, password or limits of a share at once; a new password invalidates unlock tokens',
    params: ShareParams,
    body: ShareChanges,
    response: OwnerPage,
  },
  'POST /api/shares/:id/adopt': {
    summary:
      'Adopt a share that was received through a reverse share: it becomes an own share that can be edited. A private one stays private unless `publicAccess` is true',
    params: ShareParams,
    body: Type.Unsafe<{ publicAccess?: boolean } | null>({ type: ['object', 'null'], properties: { publicAccess: { type: 'boolean' } } }),
    response: OwnerPage,
  },
  'DELETE /api/shares/:id': {
    summary: 'Delete a share and its files; if it was completed, it can be restored for 30 seconds',
    params: ShareParams,
  },
  'POST /api/shares/delete': {
    summary: 'Delete own and received completed shares, also expired ones; returns the ids of those that were deleted',
    body: ShareIds,
    response: ChangedShareIds,
  },
  'POST /api/shares/extend': {
    summary:
      'Let own shares expire later, and reopen own and received shares that have expired; returns the ids of those that were extended',
    body: Type.Object(
      { ids: ShareIds.properties.ids, expiration: Type.String({ maxLength: 40, description: 'relative to now' }) },
      { additionalProperties: false },
    ),
    response: ChangedShareIds,
  },
  'POST /api/shares/undelete': {
    summary: 'Restore shares that the caller deleted less than 30 seconds ago; returns the ids of those that were restored',
    body: ShareIds,
    response: ChangedShareIds,
  },
} satisfies Contract
