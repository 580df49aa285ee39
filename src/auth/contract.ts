import { type Static, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'
import { Email, Id, NewPassword, OptionalBody, PasswordToCheck, UserDTO, Username } from '../users/contract.ts'
import { tokensContract } from './api-tokens/contract.ts'
import { passkeysContract } from './passkeys/contract.ts'
import { totpContract } from './totp/contract.ts'

export const SignUp = Type.Object({
  email: Email,
  username: Username,
  password: NewPassword,
  /**
   * Required for the first account, except directly from the server's machine. The server shows it
   * when it starts.
   */
  setupCode: Type.Optional(Type.String({ maxLength: 64 })),
})
export type SignUp = Static<typeof SignUp>
export const SignIn = Type.Object({
  email: Type.Optional(Type.String({ maxLength: 512, 'x-trim': true })),
  username: Type.Optional(Type.String({ maxLength: 512, 'x-trim': true })),
  password: PasswordToCheck,
})
export type SignIn = Static<typeof SignIn>

const Tokens = Type.Object({ accessToken: Type.String(), refreshToken: Type.String() })

/**
 * The password was right. The second factor follows by `signIn/totp`, or by `signIn/passkey` if the
 * user has one.
 */
const LoginStep = Type.Object({
  loginToken: Type.String(),
  /** ISO 8601; 5 minutes from now. */
  expiresAt: Type.String(),
  /** Whether a passkey can replace the code. */
  passkey: Type.Boolean(),
})

const OwnSession = Type.Object({
  id: Type.String(),
  /** The User-Agent header. */
  device: Type.Union([Type.String(), Type.Null()]),
  address: Type.Union([Type.String(), Type.Null()]),
  createdAt: Type.String(),
  lastUsedAt: Type.String(),
  expiresAt: Type.String(),
  /** Whether it is the session of this request. */
  current: Type.Boolean(),
})

/** Required when the session is older than 15 minutes; see `confirmation_required`. */
const Confirmation = OptionalBody({ password: Type.Optional(PasswordToCheck) })

const sessionsContract = {
  'GET /api/auth/sessions': { summary: 'List the caller’s sessions, the last used first', response: Type.Array(OwnSession) },
  'DELETE /api/auth/sessions': {
    summary: 'End all of the caller’s sessions except this one. Needs the password or a sign-in within the last 15 minutes',
    body: Confirmation,
    status: 204,
  },
  'DELETE /api/auth/sessions/:id': {
    summary: 'End one of the caller’s sessions. Ending another session needs the password or a sign-in within the last 15 minutes',
    params: Type.Object({ id: Id }),
    body: Confirmation,
    status: 204,
  },
} satisfies Contract

const passwordContract = {
  'PATCH /api/auth/password': {
    summary:
      'Change the caller’s password. Users without one need a sign-in within the last 15 minutes. Other sessions and API tokens end; this session gets new cookies',
    body: Type.Object({ oldPassword: Type.Optional(PasswordToCheck), password: NewPassword }),
    response: Tokens,
  },
  'POST /api/auth/resetPassword/:email': {
    summary: 'Send a link to set a new password, which works for an hour. The response does not reveal whether the account exists',
    params: Type.Object({ email: Type.String({ maxLength: 254, 'x-trim': true }) }),
    status: 202,
  },
  'POST /api/auth/resetPassword': {
    summary: 'Set a new password with the token of such a link or of an invitation. All sessions and API tokens end',
    body: Type.Object({ token: Type.String({ maxLength: 200 }), password: NewPassword }),
    status: 204,
  },
} satisfies Contract

export const authContract = {
  'POST /api/auth/signUp': {
    summary: 'Create an account and sign in. The first account becomes the administrator',
    body: SignUp,
    response: Type.Object({ accessToken: Type.String(), refreshToken: Type.String(), user: UserDTO }),
    status: 201,
  },
  'POST /api/auth/verifyEmail': {
    summary: 'Verify an email address with the token of the link that was sent to it. It signs no one in',
    body: Type.Object({ token: Type.String({ maxLength: 200 }) }),
    status: 204,
  },
  'POST /api/auth/signIn': {
    summary: 'Sign in by username or email address. Returns a login token if a second factor is required',
    body: SignIn,
    response: Type.Union([Tokens, LoginStep]),
  },
  'POST /api/auth/signIn/totp': {
    summary: 'Complete a sign-in with a code of the authenticator or a recovery code',
    body: Type.Object({ totp: Type.String({ maxLength: 64 }), loginToken: Type.String({ maxLength: 200 }) }),
    response: Tokens,
  },
  'POST /api/auth/token': {
    summary: 'Get a new access token for the refresh cookie',
    response: Type.Object({ accessToken: Type.String(), expiresAt: Type.String() }),
  },
  'POST /api/auth/signOut': { summary: 'End the session', response: Type.Object({ redirectURI: Type.Optional(Type.String()) }) },
  ...passwordContract,
  ...totpContract,
  ...passkeysContract,
  ...sessionsContract,
  ...tokensContract,
} satisfies Contract
