import { type Static, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'

const WireType = Type.Enum(['string', 'text', 'number', 'boolean'])
export const Variable = Type.Object({ key: Type.String(), value: Type.String(), type: WireType })
export type Variable = Static<typeof Variable>

/** A setting as an administrator sees it. Values are text, as in the public list; its texts are `config.{key}` and `config.{key}.help` in `locales`. */
export const AdminVariable = Type.Object({
  key: Type.String(),
  /** The key without its category. */
  name: Type.String(),
  /** The value in force; always empty for a secret. */
  value: Type.String(),
  defaultValue: Type.String(),
  type: WireType,
  secret: Type.Boolean(),
  /** Masked while it is typed in. */
  obscured: Type.Boolean(),
  /** Whether a value was set; false: the default is in force. Of a secret all that is told. */
  isSet: Type.Boolean(),
  /** ISO 8601; null while it was never set. */
  updatedAt: Type.Union([Type.String(), Type.Null()]),
  /** False where the environment fixes the value, and where a call of its own sets it (the logo). */
  allowEdit: Type.Boolean(),
  /** The environment variable that can fix the value. */
  variable: Type.String(),
  unit: Type.Optional(Type.Enum(['bytes', 'hours'])),
  minimum: Type.Optional(Type.Number()),
  maximum: Type.Optional(Type.Number()),
  maxLength: Type.Optional(Type.Integer()),
  choices: Type.Optional(Type.Array(Type.String())),
})
export type AdminVariable = Static<typeof AdminVariable>

/** The service looks at the type: it depends on the key. */
const Value = Type.Unsafe<unknown>({ description: 'text, a number, true or false, as the setting has it; an empty text or null resets it' })
export const ConfigChange = Type.Object({ key: Type.String({ maxLength: 100 }), value: Value })
export type ConfigChange = Static<typeof ConfigChange>

/**
 * Why a change was refused: `reason` of `config_invalid`, beside `key`. Shown as `config.invalid.{reason}`, with the other details:
 * `type`, `min`, `max`, `choices`, `needs` (a key that must be set or switched on too), `variable` (of the environment).
 */
export type ConfigReason =
  | 'wrong_type'
  | 'not_whole'
  | 'too_small'
  | 'too_large'
  | 'too_long'
  | 'not_one_line'
  | 'not_a_choice'
  | 'not_url'
  | 'not_email'
  | 'not_host'
  | 'not_tenant'
  | 'not_expiration'
  | 'not_ascii'
  | 'exceeds_maximum'
  | 'below_default'
  | 'incomplete'
  | 'needed'
  | 'no_other_sign_in'
  | 'given_twice'
  | 'own_call'
  | 'fixed'

export const configContract = {
  'GET /api/configs': { summary: 'The public configuration', response: Type.Array(Variable) },
  'GET /api/configs/admin/:category': {
    summary: 'The settings of a category: general, share, email, smtp or oauth (administrators)',
    params: Type.Object({ category: Type.String({ maxLength: 100 }) }),
    response: Type.Array(AdminVariable),
  },
  'PATCH /api/configs/admin': {
    summary:
      'Change settings, all or none of them; an empty text resets one to its default. Answers those that were changed. API tokens change neither `smtp` and `oauth` settings nor `general.appUrl` (administrators)',
    body: Type.Array(ConfigChange, { maxItems: 200 }),
    response: Type.Array(AdminVariable),
  },
  'POST /api/configs/admin/finishSetup': { summary: 'End the first-run setup, for good (administrators)' },
  'POST /api/configs/admin/testEmail': {
    summary: 'Send an e-mail to see whether it works; a failure has the words of the SMTP server (administrators)',
    body: Type.Object({ email: Type.String({ format: 'email', maxLength: 254 }) }),
    status: 201,
  },
  'POST /api/configs/admin/logo': {
    summary:
      'Replace the logo: a square PNG as part `file` of `multipart/form-data`. Answers its version, as in `general.logo` (administrators)',
    consumes: { 'multipart/form-data': Type.Object({ file: Type.String({ format: 'binary' }) }) },
    response: Type.Object({ version: Type.String() }),
    status: 201,
  },
  'GET /api/logo/:file': {
    summary:
      'The logo in one of its sizes, such as `192.png`; 404 while there is no own one. With `?v=` and its version it may be cached for good',
    params: Type.Object({ file: Type.String({ maxLength: 20 }) }),
    querystring: Type.Object({ v: Type.Optional(Type.String({ maxLength: 50 })) }),
    produces: 'image/png',
  },
} satisfies Contract
