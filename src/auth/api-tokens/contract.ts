import { type Static, Type } from 'typebox'
import type { Contract } from '../../http/contract.ts'
import { Id, PasswordToCheck } from '../../users/contract.ts'
import { nameMaxLength } from '../limits.ts'

const Scope = Type.Enum(['shares:read', 'shares:write', 'admin'])

const apiToken = {
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(Scope),
  createdAt: Type.String(),
  /** null: it never expires. */
  expiresAt: Type.Union([Type.String(), Type.Null()]),
  /** Accurate to a minute; null: not used yet. */
  lastUsedAt: Type.Union([Type.String(), Type.Null()]),
}

const NewApiToken = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: nameMaxLength, pattern: '\\S' }),
    scopes: Type.Array(Scope, { minItems: 1, maxItems: 3, uniqueItems: true }),
    /** Omitted or null: it never expires. */
    expiresAt: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', maxLength: 40 })),
    /** Required when the session is older than 15 minutes; see `confirmation_required`. */
    password: Type.Optional(PasswordToCheck),
  },
  { additionalProperties: false }, // a misspelled expiration must not make it last forever
)
export type NewApiToken = Static<typeof NewApiToken>

export const tokensContract = {
  'GET /api/auth/tokens': { summary: 'List the caller’s API tokens, the newest first', response: Type.Array(Type.Object(apiToken)) },
  'POST /api/auth/tokens': {
    summary:
      'Create an API token for `Authorization: Bearer`. The token is shown only once. Its rights never exceed the current rights of its user. Needs the password or a sign-in within the last 15 minutes',
    body: NewApiToken,
    response: Type.Object({ ...apiToken, token: Type.String() }),
    status: 201,
  },
  'DELETE /api/auth/tokens/:id': {
    summary: 'Delete one of the caller’s API tokens, which stops working immediately',
    params: Type.Object({ id: Id }),
    status: 204,
  },
} satisfies Contract
