import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'
import * as limits from './limits.ts'

export const Email = Type.String({ format: 'email', maxLength: limits.emailMaxLength })
export const Username = Type.String({
  minLength: limits.usernameMinLength,
  maxLength: limits.usernameMaxLength,
  pattern: limits.usernamePattern,
})
/** At most 512 bytes too, which the services look at. */
export const NewPassword = Type.String({ minLength: limits.passwordMinLength, maxLength: limits.passwordMaxLength })
/** A password that is only compared. */
export const GivenPassword = Type.String({ maxLength: 4096 })

/** A user as everybody who may see one sees them; never a hash or a secret. */
export const UserDTO = Type.Object({
  id: Type.String(),
  username: Type.String(),
  email: Type.String(),
  hasPassword: Type.Boolean(),
  isAdmin: Type.Boolean(),
  totpVerified: Type.Boolean(),
  createdAt: Type.String(),
})
export type UserDTO = Static<typeof UserDTO>

/** A body that may be left out. */
export function OptionalBody<P extends TProperties>(properties: P) {
  return Type.Unsafe<Static<TObject<P>> | null>({ type: ['object', 'null'], properties })
}

/** `currentPassword`: needed when the session is older than 15 minutes; see `confirmation_required`. */
const currentPassword = Type.Optional(GivenPassword)

const OwnChanges = Type.Object({ username: Type.Optional(Username), email: Type.Optional(Email), currentPassword })
export type OwnChanges = Static<typeof OwnChanges>

const NewUser = Type.Object({
  username: Username,
  email: Email,
  password: Type.Optional(NewPassword),
  isAdmin: Type.Optional(Type.Boolean()),
})
export type NewUser = Static<typeof NewUser>

const UserChanges = Type.Object({
  username: Type.Optional(Username),
  email: Type.Optional(Email),
  password: Type.Optional(NewPassword),
  isAdmin: Type.Optional(Type.Boolean()),
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
  'GET /api/users/me': { summary: 'The signed-in user', response: UserDTO },
  'PATCH /api/users/me': {
    summary: 'Change the own username or e-mail address; another address needs the password or a sign-in within the last 15 minutes',
    body: OwnChanges,
    response: UserDTO,
  },
  'DELETE /api/users/me': {
    summary: 'Delete the own account with its shares and their bytes; needs the password or a sign-in within the last 15 minutes',
    body: OptionalBody({ currentPassword }),
    status: 204,
  },
  'GET /api/users': {
    summary: 'All users by name; with `page` or `limit` a page of them; `X-Total-Count` tells how many there are (administrators)',
    querystring: Page,
    response: Type.Array(UserDTO),
  },
  'POST /api/users': {
    summary: 'Create a user; without a password they get an e-mail with a link to set one (administrators)',
    body: NewUser,
    response: UserDTO,
    status: 201,
  },
  'PATCH /api/users/:id': {
    summary: 'Change a user; a new password and a demotion end their sessions and API tokens (administrators)',
    params: Params,
    body: UserChanges,
    response: UserDTO,
  },
  'DELETE /api/users/:id': {
    summary: 'Delete a user with their shares and their bytes; answers who it was (administrators)',
    params: Params,
    response: UserDTO,
  },
  'POST /api/users/:id/invitation': {
    summary: 'Send a user an e-mail with a link to set a password, good for 7 days (administrators)',
    params: Params,
    status: 202,
  },
} satisfies Contract
