/** What is known of a setting beside its value. `unit` tells the configuration page how to show a number. */
export interface Definition {
  default: string | number | boolean
  /** Shown to every visitor's browser. */
  public?: boolean
  /** Sealed at rest, never sent out. */
  secret?: boolean
  /** A string of several lines. */
  multiline?: boolean
  minimum?: number
  maximum?: number
  maxLength?: number
  unit?: 'bytes' | 'hours'
}

const MiB = 1_048_576

/** Every setting an admin can change; its default says its type. Only what differs from the default is stored. */
export const settings = {
  'general.appName': { default: 'Razorbill', public: true, maxLength: 50 },
  'general.appUrl': { default: '', public: true, maxLength: 500 },
  'general.showHomePage': { default: true, public: true },
  'general.sessionDuration': { default: 2160, minimum: 1, maximum: 87_600, unit: 'hours' },
  'general.setupFinished': { default: false, public: true },
  'share.allowRegistration': { default: true, public: true },
  'share.allowUnauthenticatedShares': { default: false, public: true },
  'share.maxExpiration': { default: 0, public: true, minimum: 0, maximum: 876_000, unit: 'hours' }, // 0: unlimited
  'share.defaultExpiration': { default: '7-days', public: true, maxLength: 20 },
  'share.maxSize': { default: 1_000_000_000_000, public: true, minimum: 1, maximum: Number.MAX_SAFE_INTEGER, unit: 'bytes' },
  'share.zipCompressionLevel': { default: 0, minimum: 0, maximum: 9 },
  'share.chunkSize': { default: 10_000_000, public: true, minimum: 5 * MiB, maximum: 100_000_000, unit: 'bytes' },
  'share.shareIdLength': { default: 12, public: true, minimum: 8, maximum: 50 },
} as const satisfies Record<string, Definition>

export type SettingKey = keyof typeof settings
type Widen<T> = T extends string ? string : T extends number ? number : boolean
export type Settings = { [K in SettingKey]: Widen<(typeof settings)[K]['default']> }
type PublicKey = { [K in SettingKey]: (typeof settings)[K] extends { public: true } ? K : never }[SettingKey]
/** What every visitor's browser is told. */
export type PublicSettings = Pick<Settings, PublicKey>

const entries = Object.entries(settings) as [SettingKey, Definition][]
export const settingKeys = entries.map(([key]) => key)
export const publicKeys = entries.filter(([, definition]) => definition.public).map(([key]) => key) as PublicKey[]
export const defaults = Object.fromEntries(entries.map(([key, definition]) => [key, definition.default])) as Settings
