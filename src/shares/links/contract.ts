import { type Static, Type } from 'typebox'
import type { Contract } from '../../http/contract.ts'
import { LinkId, MaxDownloads, MaxViews, Name, ShareId, ShareParams, TextOrNull, Time } from '../contract.ts'
import { emailMaxLength, sharePasswordMaxLength, sharePasswordMinLength } from '../limits.ts'

const VerifyEmail = Type.Boolean({ description: 'it opens only with a code that is sent to the recipient' })

/** A link of a share, as its owner sees it. */
export const ShareLink = Type.Object({
  id: Type.String({ description: 'the end of the link' }),
  link: Type.String({ description: 'the whole link' }),
  first: Type.Boolean({ description: 'the link that the share was created with; it has the id of the share' }),
  label: Type.Union([Type.String(), Type.Null()]),
  recipient: Type.Union([Type.String(), Type.Null()], { description: 'the email address of the recipient that the link belongs to' }),
  verifyEmail: VerifyEmail,
  hasPassword: Type.Boolean(),
  expiration: Type.String({ description: 'ISO 8601 in UTC; 1970-01-01T00:00:00.000Z: together with the share' }),
  maxViews: Type.Union([Type.Integer(), Type.Null()]),
  views: Type.Integer(),
  maxDownloads: Type.Union([Type.Integer(), Type.Null()]),
  downloads: Type.Integer({ description: 'files and ZIPs that were sent completely; with a limit, how much of it is used' }),
  enabled: Type.Boolean(),
  state: Type.Enum(['open', 'off', 'expired', 'used'], { description: 'used: the limit of visits or downloads is reached' }),
  createdAt: Time,
})
export type ShareLink = Static<typeof ShareLink>

const rules = {
  label: Type.Optional(Name),
  password: Type.Optional(TextOrNull({ minLength: sharePasswordMinLength, maxLength: sharePasswordMaxLength })),
  expiration: Type.Optional(
    Type.String({ maxLength: 40, description: 'relative to now; never: together with the share. The first link has none of its own' }),
  ),
  maxViews: Type.Optional(MaxViews),
  maxDownloads: Type.Optional(MaxDownloads),
  enabled: Type.Optional(Type.Boolean()),
}

export const NewLink = Type.Object(
  {
    id: Type.Optional(LinkId),
    ...rules,
    recipient: Type.Optional(
      Type.String({ format: 'email', maxLength: emailMaxLength, description: 'added to the recipients, who get this link by email' }),
    ),
    verifyEmail: Type.Optional(VerifyEmail),
  },
  { additionalProperties: false },
)
export type NewLink = Static<typeof NewLink>

/** Absent fields stay unchanged. */
export const LinkChanges = Type.Object({ ...rules, verifyEmail: Type.Optional(VerifyEmail) }, { additionalProperties: false })
export type LinkChanges = Static<typeof LinkChanges>

const LinkParams = Type.Object({ id: ShareId, link: ShareId })

/** The calls for the links of a share. All of them take the id of the share, not of another link. */
export const linksContract = {
  'GET /api/shares/:id/links': {
    summary: 'List the links of a share, the first one first, with what was used of their limits',
    params: ShareParams,
    response: Type.Array(ShareLink),
  },
  'POST /api/shares/:id/links': {
    summary:
      'Add a link with its own rules to a share; it never outlives the share. The link of a recipient has the rules of the share where none are given',
    params: ShareParams,
    body: NewLink,
    response: ShareLink,
    status: 201,
  },
  'PATCH /api/shares/:id/links/:link': {
    summary:
      'Rename a link, change its rules, or turn it on or off, at once; downloads that run through a link that is turned off end within the drain time',
    params: LinkParams,
    body: LinkChanges,
    response: ShareLink,
  },
  'POST /api/shares/:id/links/:link/replace': {
    summary: 'Give a link a new id, and stop the old one; for the first link, turn it off and add a link with its rules',
    params: LinkParams,
    body: Type.Unsafe<{ id?: string } | null>({
      type: ['object', 'null'],
      properties: { id: LinkId },
      additionalProperties: false,
    }),
    response: ShareLink,
  },
  'DELETE /api/shares/:id/links/:link': {
    summary: 'Delete a link; the first one can only be turned off',
    params: LinkParams,
  },
} satisfies Contract
