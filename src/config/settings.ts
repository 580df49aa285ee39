import { defaultTexts, languages } from '../mail/default-texts.ts'

/** What is known of a setting beside its value. */
export interface Definition {
  /** Its type says the setting's type. */
  default: string | number | boolean
  /** Shown to every visitor's browser. */
  public?: true
  /** Sealed at rest, never sent out, and read by `readSecret` only. */
  secret?: true
  /** A string of several lines. */
  multiline?: true
  /** Set by a call of its own; an administrator may only reset it. */
  ownCall?: true
  /** Kept by the application itself: neither listed for administrators nor changed by them. */
  internal?: true
  minimum?: number
  maximum?: number
  maxLength?: number
  /** What a string must be when it is not empty. */
  format?: 'url' | 'email' | 'host' | 'tenant' | 'expiration' | 'ascii'
  choices?: readonly string[]
  /** Tells the configuration page how to show a number. */
  unit?: 'bytes' | 'hours'
}

const MiB = 1_048_576
const subject = (text: string) => ({ default: text, maxLength: 200 })
const message = (text: string) => ({ default: text, multiline: true as const, maxLength: 10_000 })
const name = { default: '', maxLength: 500 }
const secret = { default: '', secret: true as const, maxLength: 2000 }
const english = defaultTexts('en-US') // in another language of the site, its texts: see readSettings
const url = { default: '', format: 'url' as const, maxLength: 500 }

/** Every setting an admin can change. Only what was set is stored. Its texts are `config.{key}` and `config.{key}.help` in `locales`. */
export const settings = {
  'general.appName': { default: 'Razorbill', public: true, maxLength: 50 },
  'general.appUrl': { ...url, public: true },
  'general.logo': { default: '', public: true, ownCall: true, maxLength: 50 }, // the version of the logo in force
  'general.language': { default: 'en-US', public: true, choices: languages },
  'general.showHomePage': { default: true, public: true },
  'general.sessionDuration': { default: 2160, minimum: 1, maximum: 87_600, unit: 'hours' }, // since the sign-in
  'general.sessionIdleTimeout': { default: 720, minimum: 1, maximum: 87_600, unit: 'hours' }, // since the last use
  'general.checkForUpdates': { default: true },
  'general.setupFinished': { default: false, public: true, internal: true },
  'share.allowRegistration': { default: true, public: true },
  'share.allowUnauthenticatedShares': { default: false, public: true },
  'share.maxExpiration': { default: 0, public: true, minimum: 0, maximum: 876_000, unit: 'hours' }, // 0: unlimited
  'share.defaultExpiration': { default: '7-days', public: true, format: 'expiration', maxLength: 50 },
  'share.maxSize': { default: 1_000_000_000_000, public: true, minimum: 1, maximum: Number.MAX_SAFE_INTEGER, unit: 'bytes' },
  'share.maxFiles': { default: 10_000, public: true, minimum: 1, maximum: 1_000_000 },
  'share.maxUserSize': { default: 0, minimum: 0, maximum: Number.MAX_SAFE_INTEGER, unit: 'bytes' }, // 0: unlimited
  'share.zipCompressionLevel': { default: 0, minimum: 0, maximum: 9 },
  'share.chunkSize': { default: 10_000_000, public: true, minimum: 5 * MiB, maximum: 100_000_000, unit: 'bytes' },
  'share.shareIdLength': { default: 12, public: true, minimum: 8, maximum: 50 },
  'email.enableShareEmailRecipients': { default: false, public: true },
  'email.shareRecipientsSubject': subject(english['email.shareRecipientsSubject']),
  'email.shareRecipientsMessage': message(english['email.shareRecipientsMessage']),
  'email.reverseShareSubject': subject(english['email.reverseShareSubject']),
  'email.reverseShareMessage': message(english['email.reverseShareMessage']),
  'email.resetPasswordSubject': subject(english['email.resetPasswordSubject']),
  'email.resetPasswordMessage': message(english['email.resetPasswordMessage']),
  'email.inviteSubject': subject(english['email.inviteSubject']),
  'email.inviteMessage': message(english['email.inviteMessage']),
  'smtp.enabled': { default: false, public: true },
  'smtp.host': { default: '', format: 'host', maxLength: 253 },
  'smtp.port': { default: 0, minimum: 0, maximum: 65_535 }, // 0: not set
  'smtp.tls': { default: 'auto', choices: ['auto', 'starttls', 'implicit', 'none'] },
  'smtp.allowUnauthorizedCertificates': { default: false },
  'smtp.email': { default: '', format: 'email', maxLength: 254 },
  'smtp.username': name,
  'smtp.password': secret,
  'oauth.allowRegistration': { default: true },
  'oauth.ignoreTotp': { default: true },
  'oauth.disablePassword': { default: false, public: true },
  'oauth.github-enabled': { default: false },
  'oauth.github-clientId': { ...name, format: 'ascii' },
  'oauth.github-clientSecret': { ...secret, format: 'ascii' },
  'oauth.google-enabled': { default: false },
  'oauth.google-clientId': { ...name, format: 'ascii' },
  'oauth.google-clientSecret': { ...secret, format: 'ascii' },
  'oauth.microsoft-enabled': { default: false },
  'oauth.microsoft-tenant': { default: 'common', format: 'tenant', maxLength: 253 },
  'oauth.microsoft-clientId': { ...name, format: 'ascii' },
  'oauth.microsoft-clientSecret': { ...secret, format: 'ascii' },
  'oauth.discord-enabled': { default: false },
  'oauth.discord-limitedGuild': { default: '', maxLength: 50 },
  'oauth.discord-clientId': { ...name, format: 'ascii' },
  'oauth.discord-clientSecret': { ...secret, format: 'ascii' },
  'oauth.oidc-enabled': { default: false },
  'oauth.oidc-discoveryUri': url,
  'oauth.oidc-usernameClaim': { default: '', maxLength: 100 },
  'oauth.oidc-signOut': { default: true },
  'oauth.oidc-clientId': { ...name, format: 'ascii' },
  'oauth.oidc-clientSecret': { ...secret, format: 'ascii' },
} as const satisfies Record<string, Definition>

type Known = typeof settings
export type SettingKey = keyof Known
type Widen<T> = T extends string ? string : T extends number ? number : boolean
type KeysOf<Trait> = { [K in SettingKey]: Known[K] extends Trait ? K : never }[SettingKey]
export type SecretKey = KeysOf<{ secret: true }>
/** Every setting's value, secrets included, as validation sees them. */
export type AllSettings = { [K in SettingKey]: Widen<Known[K]['default']> }
/** Every setting's value but the secrets'. */
export type Settings = Omit<AllSettings, SecretKey>
/** What every visitor's browser is told. */
export type PublicSettings = Pick<Settings, KeysOf<{ public: true }>>
export type Category = 'general' | 'share' | 'email' | 'smtp' | 'oauth'

const entries = Object.entries(settings) as [SettingKey, Definition][]
export const settingKeys = entries.map(([key]) => key)
export const secretKeys = entries.filter(([, definition]) => definition.secret).map(([key]) => key) as SecretKey[]
export const publicKeys = entries.filter(([, definition]) => definition.public).map(([key]) => key) as (keyof PublicSettings)[]
export const allDefaults = Object.fromEntries(entries.map(([key, definition]) => [key, definition.default])) as AllSettings
/** The defaults of all settings but secrets. */
export const defaults = Object.fromEntries(Object.entries(allDefaults).filter(([key]) => !isSecret(key as SettingKey))) as Settings

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settings, key)
}

export function isSecret(key: SettingKey): key is SecretKey {
  return (settings[key] as Definition).secret === true
}

export type WireType = 'string' | 'text' | 'number' | 'boolean'

/** The type of a setting on the wire. */
export function typeOf(key: SettingKey): WireType {
  const { default: value, multiline }: Definition = settings[key]
  if (typeof value === 'string') return multiline ? 'text' : 'string'
  return typeof value === 'number' ? 'number' : 'boolean'
}
