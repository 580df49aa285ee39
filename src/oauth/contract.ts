import { Type } from 'typebox'
import type { Contract } from '../http/contract.ts'
import { OptionalBody, PasswordToCheck } from '../users/contract.ts'
import { providers } from './limits.ts'

const Provider = Type.Enum(providers)
const Params = Type.Object({ provider: Type.String({ maxLength: 50 }) })
const short = Type.Optional(Type.String({ maxLength: 200 }))

export const oauthContract = {
  'GET /api/oauth/available': { summary: 'The providers whose accounts can sign in', response: Type.Array(Provider) },
  'GET /api/oauth/status': {
    summary: 'The accounts elsewhere that are linked to the own account, by provider',
    response: Type.Record(Type.String(), Type.Object({ provider: Type.String(), providerUsername: Type.String() })),
  },
  'GET /api/oauth/auth/:provider': {
    summary:
      'For browsers: sends to the provider, to sign in there; `redirect` is the path of this site to go to afterwards, `setupCode` what the first account needs',
    params: Params,
    querystring: Type.Object({
      redirect: Type.Optional(Type.String({ maxLength: 4000 })),
      setupCode: Type.Optional(Type.String({ maxLength: 64 })),
    }),
    status: 302,
  },
  'POST /api/oauth/link/:provider': {
    summary:
      'Begin to link a provider’s account to the own one; answers where the browser is to go. Needs the password or a sign-in within the last 15 minutes',
    params: Params,
    body: OptionalBody({ password: Type.Optional(PasswordToCheck) }),
    response: Type.Object({ url: Type.String() }),
  },
  'GET /api/oauth/callback/:provider': {
    summary: 'For browsers: where the provider sends them back to; leads into the application, to the second factor, or to `/error`',
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
      'Unlink a provider’s account from the own one; not the last way in. Needs the password or a sign-in within the last 15 minutes',
    params: Params,
    body: OptionalBody({ password: Type.Optional(PasswordToCheck) }),
    status: 201,
  },
  'POST /api/oauth/test/:provider': {
    summary: 'Try whether a provider is found, and takes client ID and secret, as they are saved (administrators)',
    params: Params,
    response: Type.Object({ redirectUri: Type.String() }),
  },
} satisfies Contract
