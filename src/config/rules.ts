import type { ConfigReason } from './contract.ts'
import { type AllSettings, type SettingKey, settings } from './settings.ts'
import { hoursOf } from './values.ts'

/**
 * A combination of settings that isn't allowed. `key` is the setting to report, `needs` another one
 * that it depends on.
 */
interface Conflict {
  key: SettingKey
  reason: ConfigReason
  needs?: SettingKey
  must: string
}

/** `key` can be turned on or set only if all of `needs` are. */
interface Requirement {
  key: SettingKey
  needs: SettingKey[]
}

const provider = (name: 'github' | 'google' | 'microsoft' | 'discord' | 'oidc', ...more: SettingKey[]): Requirement => ({
  key: `oauth.${name}-enabled`,
  needs: [`oauth.${name}-clientId`, ...more],
})

const providers = [
  provider('github', 'oauth.github-clientSecret'),
  provider('google', 'oauth.google-clientSecret'),
  provider('microsoft', 'oauth.microsoft-clientSecret'),
  provider('discord', 'oauth.discord-clientSecret'),
  provider('oidc', 'oauth.oidc-discoveryUri'), // a public client has no secret
]
const requirements: Requirement[] = [
  { key: 'smtp.enabled', needs: ['smtp.host', 'smtp.port', 'smtp.email', 'general.appUrl'] },
  { key: 'smtp.username', needs: ['smtp.password'] },
  { key: 'smtp.password', needs: ['smtp.username'] },
  { key: 'email.enableShareEmailRecipients', needs: ['smtp.enabled'] },
  { key: 'share.requireVerifiedEmail', needs: ['smtp.enabled'] },
  ...providers,
]

/**
 * Returns the first rule that `values` break; null if none.
 * Ignores rules about settings that aren't `changed`, so that an old conflict doesn't block every
 * change.
 */
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

/** Without passwords, another sign-in method must be turned on. */
function passwordConflict(values: AllSettings, changed: ReadonlySet<SettingKey>): Conflict | null {
  const key: SettingKey = 'oauth.disablePassword'
  if (!values[key] || providers.some((method) => values[method.key])) return null
  const culprit = [key, ...providers.map((method) => method.key)].find((setting) => changed.has(setting))
  return culprit ? { key: culprit, reason: 'no_other_sign_in', must: 'would leave no way to sign in' } : null
}

/**
 * A chosen default expiration must not exceed the maximum. The built-in default is shortened to the
 * maximum when it is used.
 */
function expirationConflict(values: AllSettings, changed: ReadonlySet<SettingKey>): Conflict | null {
  const { 'share.maxExpiration': max, 'share.defaultExpiration': chosen } = values
  if (max === 0 || hoursOf(chosen) <= max || chosen === settings['share.defaultExpiration'].default) return null
  if (changed.has('share.defaultExpiration')) {
    return { key: 'share.defaultExpiration', reason: 'exceeds_maximum', needs: 'share.maxExpiration', must: `must be at most ${max} hours` }
  }
  if (!changed.has('share.maxExpiration')) return null
  return { key: 'share.maxExpiration', reason: 'below_default', needs: 'share.defaultExpiration', must: `must be at least ${chosen}` }
}
