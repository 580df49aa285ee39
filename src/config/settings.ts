import { defaultTexts, languages } from '../mail/default-texts.ts'
import type { MailTexts } from '../mail/templates.ts'

/** A setting's type, default, rules and visibility. */
export interface Definition {
  /** Its type is the type of the setting. */
  default: string | number | boolean
  /** Sent to every visitor's browser. */
  public?: true
  /** Encrypted in the database, never sent to a client, read only by `readSecret`. */
  secret?: true
  /** The string can have several lines. */
  multiline?: true
  /** Set by a separate API call. Administrators can only reset it here. */
  ownCall?: true
  /** Set by the application. Administrators can neither see nor change it. */
  internal?: true
  minimum?: number
  maximum?: number
  maxLength?: number
  /** The format of a string that isn't empty. */
  format?: 'url' | 'site' | 'email' | 'host' | 'tenant' | 'expiration' | 'ascii' | 'color'
  choices?: readonly string[]
  /** How the configuration page displays the number. */
  unit?: 'bytes' | 'hours'
}

const MiB = 1_048_576
// Getters: importing this file must not read `locales`. `readSettings` uses the texts in the site's
// language.
const subject = (key: keyof MailTexts) => ({
  get default(): string {
    return defaultTexts('en-US')[key]
  },
  maxLength: 200,
})
const message = (key: keyof MailTexts) => ({
  get default(): string {
    return defaultTexts('en-US')[key]
  },
  multiline: true as const,
  maxLength: 10_000,
})
const siteLanguage = {
  default: 'en-US',
  public: true as const,
  get choices(): readonly string[] {
    return languages()
  },
}
const name = { default: '', maxLength: 500 }
const secret = { default: '', secret: true as const, maxLength: 2000 }
const url = { default: '', format: 'url' as const, maxLength: 500 }

/**
 * All settings. The database holds only values that were changed.
 * The texts of a setting are `config.{key}` and `config.{key}.help` in `locales`.
 */
export const settings = {
  'general.appName': { default: 'Razorbill', public: true, maxLength: 50 },
  'general.appUrl': { ...url, format: 'site', public: true },
  'general.logo': { default: '', public: true, ownCall: true, maxLength: 50 }, // the version of the uploaded logo
  'general.accentColor': { default: '', public: true, format: 'color', maxLength: 7 },
  'general.showBird': { default: true, public: true },
  'general.welcomeText': { default: '', public: true, multiline: true, maxLength: 500 },
  'general.footer': { default: '', public: true, multiline: true, maxLength: 2000 }, // a line for each text or link
  'general.language': siteLanguage,
  'general.showHomePage': { default: true, public: true },
  'general.sessionDuration': { default: 2160, minimum: 1, maximum: 87_600, unit: 'hours' }, // after sign-in
  'general.sessionIdleTimeout': { default: 720, minimum: 1, maximum: 87_600, unit: 'hours' }, // after the last request
  'general.requireAdminSecondFactor': { default: false },
  'general.checkForUpdates': { default: true },
  'general.setupFinished': { default: false, public: true, internal: true },
  'share.allowRegistration': { default: true, public: true },
  'share.requireVerifiedEmail': { default: false, public: true },
  'share.allowUnauthenticatedShares': { default: false, public: true },
  'share.maxExpiration': { default: 0, public: true, minimum: 0, maximum: 876_000, unit: 'hours' }, // 0: unlimited
  'share.defaultExpiration': { default: '7-days', public: true, format: 'expiration', maxLength: 50 },
  'share.graceDays': { default: 7, minimum: 0, maximum: 3650 }, // 0: expired shares are deleted at once
  'share.reminderHours': { default: 48, minimum: 0, maximum: 8760, unit: 'hours' }, // 0: none
  'share.maxSize': { default: 1_000_000_000_000, public: true, minimum: 1, maximum: Number.MAX_SAFE_INTEGER, unit: 'bytes' },
  'share.maxFiles': { default: 100_000, public: true, minimum: 1, maximum: 1_000_000 },
  'share.maxUserSize': { default: 0, minimum: 0, maximum: Number.MAX_SAFE_INTEGER, unit: 'bytes' }, // 0: unlimited
  'share.encryption': { default: 'optional', public: true, choices: ['off', 'optional', 'default', 'always'] },
  'share.previews': { default: true },
  'share.activity': { default: true },
  'share.activityAddresses': { default: 'shortened', choices: ['none', 'shortened', 'full'] },
  'share.activityDays': { default: 90, minimum: 1, maximum: 3650 },
  'share.zipCompressionLevel': { default: 0, minimum: 0, maximum: 9 },
  'share.chunkSize': { default: 10_000_000, public: true, minimum: 5 * MiB, maximum: 100_000_000, unit: 'bytes' },
  'share.shareIdLength': { default: 12, public: true, minimum: 8, maximum: 50 },
  'email.enableShareEmailRecipients': { default: false, public: true },
  'email.shareRecipientsSubject': subject('email.shareRecipientsSubject'),
  'email.shareRecipientsMessage': message('email.shareRecipientsMessage'),
  'email.reverseShareSubject': subject('email.reverseShareSubject'),
  'email.reverseShareMessage': message('email.reverseShareMessage'),
  'email.resetPasswordSubject': subject('email.resetPasswordSubject'),
  'email.resetPasswordMessage': message('email.resetPasswordMessage'),
  'email.inviteSubject': subject('email.inviteSubject'),
  'email.inviteMessage': message('email.inviteMessage'),
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

type Definitions = typeof settings
export type SettingKey = keyof Definitions
type Widen<T> = T extends string ? string : T extends number ? number : boolean
type KeysWith<Trait> = { [K in SettingKey]: Definitions[K] extends Trait ? K : never }[SettingKey]
export type SecretKey = KeysWith<{ secret: true }>
/** The values of all settings, secrets included, for validation. */
export type AllSettings = { [K in SettingKey]: Widen<Definitions[K]['default']> }
/** The values of all settings except secrets. */
export type Settings = Omit<AllSettings, SecretKey>
/** The values that are sent to every visitor's browser. */
export type PublicSettings = Pick<Settings, KeysWith<{ public: true }>>

const entries = Object.entries(settings) as [SettingKey, Definition][]
export const settingKeys = entries.map(([key]) => key)
export const publicKeys = entries.filter(([, definition]) => definition.public).map(([key]) => key) as (keyof PublicSettings)[]

/** Returns the default of every setting. */
export const allDefaults = once(() => Object.fromEntries(entries.map(([key, definition]) => [key, definition.default])) as AllSettings)
/** Returns the default of every setting except secrets. */
export const defaults = once(
  () => Object.fromEntries(Object.entries(allDefaults()).filter(([key]) => !isSecret(key as SettingKey))) as Settings,
)

function once<T>(compute: () => T): () => T {
  let result: T | undefined
  return () => {
    result ??= compute()
    return result
  }
}

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settings, key)
}

export function isSecret(key: SettingKey): key is SecretKey {
  return (settings[key] as Definition).secret === true
}

type WireType = 'string' | 'text' | 'number' | 'boolean'

/** Returns the type that the API reports for a setting. */
export function typeOf(key: SettingKey): WireType {
  const { default: value, multiline }: Definition = settings[key]
  if (typeof value === 'string') return multiline ? 'text' : 'string'
  return typeof value === 'number' ? 'number' : 'boolean'
}
