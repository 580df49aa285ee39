import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { Type } from 'typebox'
import type { Contract } from '../../http/contract.ts'
import { Id, OptionalBody, PasswordToCheck } from '../../users/contract.ts'
import { nameMaxLength } from '../limits.ts'

/**
 * JSON of Web Authentication Level 3 (5.1.8 to 5.1.10), as `@simplewebauthn/browser` accepts and
 * returns it.
 */
const Json = <T>() => Type.Unsafe<T>({ type: 'object', additionalProperties: true })

/** A credential from the browser. The verification checks its other fields. */
function Credential<T>(fields: string[]) {
  const text = { type: 'string', maxLength: 65_536 }
  return Type.Unsafe<T>({
    type: 'object',
    required: ['id', 'rawId', 'type', 'response'],
    properties: {
      id: { ...text, minLength: 1, maxLength: 1500 },
      rawId: { ...text, maxLength: 1500 },
      type: { ...text, maxLength: 50 },
      response: { type: 'object', required: fields, properties: Object.fromEntries(fields.map((name) => [name, text])) },
    },
  })
}
const Registration = Credential<RegistrationResponseJSON>(['clientDataJSON', 'attestationObject'])
const Assertion = Credential<AuthenticationResponseJSON>(['clientDataJSON', 'authenticatorData', 'signature'])

const Passkey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: Type.String(),
  lastUsedAt: Type.Union([Type.String(), Type.Null()]),
  /** Whether it is synced to other devices. */
  backedUp: Type.Boolean(),
})
const Name = Type.String({ minLength: 1, maxLength: nameMaxLength, pattern: '\\S' })
const Params = Type.Object({ id: Id })
/** Required when the session is older than 15 minutes; see `confirmation_required`. */
const password = Type.Optional(PasswordToCheck)
const loginToken = Type.Optional(Type.String({ maxLength: 200 }))
const Tokens = Type.Object({ accessToken: Type.String(), refreshToken: Type.String() })

export const passkeysContract = {
  'POST /api/auth/signIn/passkey/options': {
    summary:
      'Get the options with which a browser asks for a passkey: any passkey of the site, or with a login token those of its user as second factor',
    body: OptionalBody({ loginToken }),
    response: Json<PublicKeyCredentialRequestOptionsJSON>(),
  },
  'POST /api/auth/signIn/passkey': {
    summary: 'Sign in with a passkey, which counts as both factors, or with a login token as the second factor',
    body: Type.Object({ response: Assertion, loginToken }),
    response: Tokens,
  },
  'GET /api/auth/passkeys': { summary: 'List the caller’s passkeys, the newest first', response: Type.Array(Passkey) },
  'POST /api/auth/passkeys/options': {
    summary: 'Get the options with which a browser creates a passkey. Needs the password or a sign-in within the last 15 minutes',
    body: OptionalBody({ password }),
    response: Json<PublicKeyCredentialCreationOptionsJSON>(),
  },
  'POST /api/auth/passkeys': {
    summary: 'Add the passkey that a browser has created',
    body: Type.Object({ name: Type.Optional(Name), response: Registration }),
    response: Passkey,
    status: 201,
  },
  'PATCH /api/auth/passkeys/:id': {
    summary: 'Rename one of the caller’s passkeys',
    params: Params,
    body: Type.Object({ name: Name }),
    response: Passkey,
  },
  'DELETE /api/auth/passkeys/:id': {
    summary: 'Delete one of the caller’s passkeys. Needs the password or a sign-in within the last 15 minutes',
    params: Params,
    body: OptionalBody({ password }),
    status: 204,
  },
} satisfies Contract
