import { Type } from 'typebox'
import type { Contract } from '../http/contract.ts'
import { OptionalBody, PasswordToCheck } from '../users/contract.ts'
import { providers } from './limits.ts'

const Provider = Type.Enum(providers)
const Params = Type.Object({ provider: Type.String({ maxLength: 50 }) })
const short = Type.Optional(Type.String({ maxLength: 200 }))

export const oauthContract = {
  'GET /api/oauth/available': { summary: 'List the providers that users can sign in with', response: Type.Array(Provider) },
  'GET /api/oauth/status': {
    summary: 'Get the caller’s linked accounts by provider',
    response: Type.Record(Type.String(), Type.Object({ provider: Type.String(), providerUsername: Type.String() })),
  },
  'GET /api/oauth/auth/:provider': {
    summary:
      'For browsers: redirects to the provider to sign in. `redirect` is the path of this site to open afterwards; `setupCode` is required for the first account',
    params: Params,
    querystring: Type.Object({
      redirect: Type.Optional(Type.String({ maxLength: 4000 })),
      setupCode: Type.Optional(Type.String({ maxLength: 64 })),
    }),
    status: 302,
  },
  'POST /api/oauth/link/:provider': {
    summary:
      'Start to link a provider’s account to the caller’s account. Returns the URL for the browser. Needs the password or a sign-in within the last 15 minutes',
    params: Params,
    body: OptionalBody({ password: Type.Optional(PasswordToCheck) }),
    response: Type.Object({ url: Type.String() }),
  },
  'GET /api/oauth/callback/:provider': {
    summary: 'For browsers: the provider redirects here. Redirects to the application, the second factor or `/error`',
    params: Params,
    querystring: Type.Object({
      code: Type.Optional(Type.String({ maxLength: 8000 })),
      state: Type.Optional(Type.String({ maxLength: 4000 })),
      error: short,
      iss: Type.Optional(Type.String({ maxLength: 2000 })),
    }),
    status: 302,
  },
  'POST /api/oauth/unlink/:provider': {
    summary:
      'Unlink a provider’s account from the caller’s account, unless it is the last sign-in method. Needs the password or a sign-in within the last 15 minutes',
    params: Params,
    body: OptionalBody({ password: Type.Optional(PasswordToCheck) }),
    status: 201,
  },
  'POST /api/oauth/test/:provider': {
    summary: 'Test whether a provider is reachable and accepts the saved client ID and secret (administrators)',
    params: Params,
    response: Type.Object({ redirectUri: Type.String() }),
  },
} satisfies Contract
