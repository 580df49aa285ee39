import { type Static, Type } from 'typebox'
import type { Contract } from '../http/contract.ts'

const WireType = Type.Enum(['string', 'text', 'number', 'boolean'])
export const Variable = Type.Object({ key: Type.String(), value: Type.String(), type: WireType })
export type Variable = Static<typeof Variable>

/** A string, a number or a boolean, depending on `type`. */
const SettingValue = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

/**
 * A setting as administrators see it, with values as a change accepts them.
 * Its texts are `config.{key}` and `config.{key}.help` in `locales`.
 */
export const AdminVariable = Type.Object({
  key: Type.String(),
  /** The key without its category. */
  name: Type.String(),
  /** The current value; always empty for a secret. */
  value: SettingValue,
  defaultValue: SettingValue,
  type: WireType,
  secret: Type.Boolean(),
  /** Masked in the form. */
  obscured: Type.Boolean(),
  /**
   * Whether a value is set; false: the default applies. For a secret, this is all that is shown.
   */
  isSet: Type.Boolean(),
  /** ISO 8601; null if it was never set. */
  updatedAt: Type.Union([Type.String(), Type.Null()]),
  /** False if the environment fixes the value or a separate call sets it (the logo). */
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

/** The same with values as text, as in Pingvin Share. */
export const TextVariable = Type.Object({ ...AdminVariable.properties, value: Type.String(), defaultValue: Type.String() })
export type TextVariable = Static<typeof TextVariable>

/** The service checks the type, which depends on the key. */
const Value = Type.Unsafe<unknown>({
  description: 'a string, a number or a boolean, depending on the setting; an empty string or null resets it',
})
export const ConfigChange = Type.Object({ key: Type.String({ maxLength: 100 }), value: Value })
export type ConfigChange = Static<typeof ConfigChange>

const Changes = Type.Array(ConfigChange, { maxItems: 200 })
/**
 * The changes, with the administrator's password if it is needed, or a list as in Pingvin Share,
 * where values may be text.
 */
export const ConfigChanges = Type.Union([
  Changes,
  Type.Object({ changes: Changes, currentPassword: Type.Optional(Type.String({ maxLength: 4096 })) }),
])
export type ConfigChanges = Static<typeof ConfigChanges>

/**
 * Why a change was refused: the `reason` of `config_invalid`. Its text is
 * `config.invalid.{reason}`. Other details of the error: `key`, `type`, `min`, `max`, `choices`,
 * `needs` (a setting that must also be set or turned on) and `variable` (the environment variable).
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
  | 'not_site'
  | 'not_color'
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
  'GET /api/configs/admin': {
    summary: 'All settings. Values have the type that PATCH accepts; those of secrets are empty (administrators)',
    response: Type.Array(AdminVariable),
  },
  'GET /api/configs/admin/:category': {
    summary: 'The settings of a category, with values as text: general, share, email, smtp or oauth (administrators)',
    params: Type.Object({ category: Type.String({ maxLength: 100 }) }),
    response: Type.Array(TextVariable),
  },
  'PATCH /api/configs/admin': {
    summary:
      'Change settings, all or none of them; null or an empty string resets one to its default. Returns the changed settings. If the body is a bare list, values may be text, such as "168" or "true", and are returned as text. Settings that decide where sign-ins and links in emails lead (`smtp`, `oauth`, `general.appUrl`, the emails with password links, and the requirements for sign-in) need the password or a sign-in within the last 15 minutes. API tokens cannot change those (administrators)',
    body: ConfigChanges,
    response: Type.Array(AdminVariable),
  },
  'POST /api/configs/admin/finishSetup': { summary: 'Finish the first-run setup; this cannot be undone (administrators)' },
  'POST /api/configs/admin/testEmail': {
    summary: 'Send a test email; an error contains the response of the SMTP server (administrators)',
    body: Type.Object({ email: Type.String({ format: 'email', maxLength: 254 }) }),
    status: 201,
  },
  'POST /api/configs/admin/logo': {
    summary:
      'Replace the logo: a square PNG as part `file` of `multipart/form-data`. Returns its version, as in `general.logo` (administrators)',
    consumes: { 'multipart/form-data': Type.Object({ file: Type.String({ format: 'binary' }) }) },
    response: Type.Object({ version: Type.String() }),
    status: 201,
  },
  'GET /api/logo/:file': {
    summary:
      'The uploaded logo in one of its sizes, such as `192.png`; 404 if none is uploaded. With its version as `?v=`, the image can be cached for a year',
    params: Type.Object({ file: Type.String({ maxLength: 20 }) }),
    querystring: Type.Object({ v: Type.Optional(Type.String({ maxLength: 50 })) }),
    produces: 'image/png',
  },
} satisfies Contract
