import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'
import * as limits from './limits.ts'

export const Email = Type.String({ format: 'email', maxLength: limits.emailMaxLength })
export const Username = Type.String({
  minLength: limits.usernameMinLength,
  maxLength: limits.usernameMaxLength,
  pattern: limits.usernamePattern,
  'x-trim': true,
  'x-rule': 'can only contain letters from A to Z, numbers, dots and underscores',
})
/** The services also limit it to 512 bytes. */
export const NewPassword = Type.String({ minLength: limits.passwordMinLength, maxLength: limits.passwordMaxLength })
/** A password that is only checked. */
export const PasswordToCheck = Type.String({ maxLength: 4096 })

/** The public data of a user, without hashes or secrets. */
export const UserDTO = Type.Object({
  id: Type.String(),
  username: Type.String(),
  email: Type.String(),
  /**
   * False until the user has opened the link in the email that was sent after a sign-up or a change
   * of address.
   */
  emailVerified: Type.Boolean(),
  hasPassword: Type.Boolean(),
  isAdmin: Type.Boolean(),
  totpVerified: Type.Boolean(),
  createdAt: Type.String(),
  language: Type.Union([Type.String(), Type.Null()], { description: 'the chosen language, a BCP 47 code; null: that of the site' }),
})
export type UserDTO = Static<typeof UserDTO>

/** An optional request body. */
export function OptionalBody<P extends TProperties>(properties: P) {
  return Type.Unsafe<Static<TObject<P>> | null>({ type: ['object', 'null'], properties })
}

/**
 * The caller's password. Users need it to change their own email address, and for other changes of
 * credentials when the session is older than 15 minutes.
 */
const currentPassword = Type.Optional(PasswordToCheck)

const OwnChanges = Type.Object({
  username: Type.Optional(Username),
  email: Type.Optional(Email),
  language: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: limits.languageMaxLength,
      description: 'a BCP 47 code, for pages on all devices and for emails; null: that of the site',
    }),
  ),
  currentPassword,
})
export type OwnChanges = Static<typeof OwnChanges>

const NewUser = Type.Object({
  username: Username,
  email: Email,
  password: Type.Optional(NewPassword),
  isAdmin: Type.Optional(Type.Boolean()),
  currentPassword,
})
export type NewUser = Static<typeof NewUser>

const UserChanges = Type.Object({
  username: Type.Optional(Username),
  email: Type.Optional(Email),
  password: Type.Optional(NewPassword),
  isAdmin: Type.Optional(Type.Boolean()),
  currentPassword,
})
export type UserChanges = Static<typeof UserChanges>

export const Id = Type.String({ format: 'uuid' })
const Params = Type.Object({ id: Id })
const Page = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  search: Type.Optional(Type.String({ maxLength: 200 })),
})
export type Page = Static<typeof Page>

export const usersContract = {
  'GET /api/users/me': { summary: 'Get the caller’s account', response: UserDTO },
  'PATCH /api/users/me': {
    summary:
      'Change the caller’s username, email address or language. A new username needs the password or a sign-in within the last 15 minutes. A new email address needs the password, or for users without one such a sign-in',
    body: OwnChanges,
    response: UserDTO,
  },
  'DELETE /api/users/me': {
    summary: 'Delete the caller’s account with its shares and their files. Needs the password or a sign-in within the last 15 minutes',
    body: OptionalBody({ currentPassword }),
    status: 204,
  },
  'POST /api/users/me/verification': {
    summary: 'Send another link to verify the caller’s email address, which works for 24 hours and replaces earlier ones',
    status: 202,
  },
  'GET /api/users': {
    summary: 'List the users by name: all, or one page with `page` or `limit`. `X-Total-Count` is their number (administrators)',
    querystring: Page,
    response: Type.Array(UserDTO),
  },
  'POST /api/users': {
    summary:
      'Create a user. Without a password, the user gets an email with a link to set one. A new administrator needs a session, and the password or a sign-in within the last 15 minutes (administrators)',
    body: NewUser,
    response: UserDTO,
    status: 201,
  },
  'PATCH /api/users/:id': {
    summary:
      'Change another user. It needs the password of the administrator or a sign-in within the last 15 minutes. A new password and a demotion end the sessions and API tokens of the user. API tokens cannot change administrators (administrators)',
    params: Params,
    body: UserChanges,
    response: UserDTO,
  },
  'DELETE /api/users/:id': {
    summary:
      'Delete another user with their shares and files, and return the user. API tokens cannot delete administrators (administrators)',
    params: Params,
    response: UserDTO,
  },
  'DELETE /api/users/:id/sessions': {
    summary:
      'End all sessions of another user. API tokens stay. It needs the password of the administrator or a sign-in within the last 15 minutes (administrators)',
    params: Params,
    body: OptionalBody({ currentPassword }),
    status: 204,
  },
  'POST /api/users/:id/invitation': {
    summary: 'Send a user an email with a link to set a password, which works for 7 days (administrators)',
    params: Params,
    status: 202,
  },
} satisfies Contract
