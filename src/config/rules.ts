import type { ConfigReason } from './contract.ts'
import { type AllSettings, allDefaults, type SettingKey } from './settings.ts'
import { hoursOf } from './values.ts'

/** What settings may not be together; `key` is the one to be shown with it, `needs` another that it depends on. */
export interface Conflict {
  key: SettingKey
  reason: ConfigReason
  needs?: SettingKey
  must: string
}

/** `key` may be on, or not empty, only while all of `needs` are. */
interface Requirement {
  key: SettingKey
  needs: SettingKey[]
}

const provider = (name: 'github' | 'google' | 'microsoft' | 'discord' | 'oidc', ...more: SettingKey[]): Requirement => ({
  key: `oauth.${name}-enabled`,
  needs: [`oauth.${name}-clientId`, `oauth.${name}-clientSecret`, ...more],
})

const providers = [
  provider('github'),
  provider('google'),
  provider('microsoft'),
  provider('discord'),
  provider('oidc', 'oauth.oidc-discoveryUri'),
]
const requirements: Requirement[] = [
  { key: 'smtp.enabled', needs: ['smtp.host', 'smtp.port', 'smtp.email', 'general.appUrl'] },
  { key: 'smtp.username', needs: ['smtp.password'] },
  { key: 'smtp.password', needs: ['smtp.username'] },
  { key: 'email.enableShareEmailRecipients', needs: ['smtp.enabled'] },
  ...providers,
]

/** The first rule that the settings would break after a change of the `changed` ones; rules about none of these are left alone, so that nothing locks up. */
export function conflictOf(values: AllSettings, changed: ReadonlySet<SettingKey>): Conflict | null {
  for (const { key, needs } of requirements) {
    if (!values[key]) continue
    const missing = needs.find((need) => !values[need] && (changed.has(need) || changed.has(key)))
    if (!missing) continue
    if (changed.has(key)) return { key, reason: 'incomplete', needs: missing, must: `can only be set together with ${missing}` }
    return { key: missing, reason: 'needed', needs: key, must: `cannot be empty or off while ${key} is set` }
  }
  return passwordConflict(values, changed) ?? expirationConflict(values, changed)
}

/** Somebody must be able to sign in. */
function passwordConflict(values: AllSettings, changed: ReadonlySet<SettingKey>): Conflict | null {
  const key = 'oauth.disablePassword'
  if (!values[key] || providers.some((one) => values[one.key])) return null
  const touched = [key, ...providers.map((one) => one.key)].find((one) => changed.has(one as SettingKey)) as SettingKey | undefined
  return touched ? { key: touched, reason: 'no_other_sign_in', must: 'would leave no way to sign in' } : null
}

/** The built-in default is cut down to the maximum when it is used; one that was chosen must lie within it. */
function expirationConflict(values: AllSettings, changed: ReadonlySet<SettingKey>): Conflict | null {
  const { 'share.maxExpiration': max, 'share.defaultExpiration': chosen } = values
  if (max === 0 || hoursOf(chosen) <= max || chosen === allDefaults['share.defaultExpiration']) return null
  if (changed.has('share.defaultExpiration')) {
    return { key: 'share.defaultExpiration', reason: 'exceeds_maximum', needs: 'share.maxExpiration', must: `must be at most ${max} hours` }
  }
  if (!changed.has('share.maxExpiration')) return null
  return { key: 'share.maxExpiration', reason: 'below_default', needs: 'share.defaultExpiration', must: `must be at least ${chosen}` }
}
