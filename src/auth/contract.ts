import { type Static, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'
import { UserDTO } from '../users/contract.ts'
import * as limits from './limits.ts'

export const Email = Type.String({ format: 'email', maxLength: limits.emailMaxLength })
export const Username = Type.String({
  minLength: limits.usernameMinLength,
  maxLength: limits.usernameMaxLength,
  pattern: limits.usernamePattern,
})
export const NewPassword = Type.String({ minLength: limits.passwordMinLength, maxLength: limits.passwordMaxLength })

export const SignUp = Type.Object({ email: Email, username: Username, password: NewPassword })
export type SignUp = Static<typeof SignUp>
export const SignIn = Type.Object({
  email: Type.Optional(Type.String({ maxLength: 512 })),
  username: Type.Optional(Type.String({ maxLength: 512 })),
  password: Type.String({ maxLength: 4096 }),
})
export type SignIn = Static<typeof SignIn>

const Tokens = { accessToken: Type.String(), refreshToken: Type.String() }

export const authContract = {
  'POST /api/auth/signUp': {
    summary: 'Create an account and sign in; the first one is the administrator',
    body: SignUp,
    response: Type.Object({ ...Tokens, user: UserDTO }),
    status: 201,
  },
  'POST /api/auth/signIn': { summary: 'Sign in by username or e-mail address', body: SignIn, response: Type.Object(Tokens) },
  'POST /api/auth/token': {
    summary: 'A new access token for the refresh cookie',
    response: Type.Object({ accessToken: Type.String(), expiresAt: Type.String() }),
  },
  'POST /api/auth/signOut': { summary: 'End the session', response: Type.Object({ redirectURI: Type.Optional(Type.String()) }) },
} satisfies Contract
