import { type AllSettings, type Definition, type SettingKey, settingKeys, settings } from './settings.ts'
import { parseText, problemOf } from './values.ts'

/** Settings that the environment fixes, so that administrators can't change them. */
export type FixedSettings = Partial<AllSettings>
type Variables = Record<string, string | undefined>

/**
 * Returns the environment variable of a setting: `share.maxSize` → `RAZORBILL_SHARE_MAX_SIZE`,
 * `oauth.oidc-clientId` → `RAZORBILL_OAUTH_OIDC_CLIENT_ID`.
 */
export function variableOf(key: SettingKey): string {
  const words = key.replace(/([a-z])([A-Z])/g, '$1_$2').replace(/[.-]/g, '_')
  return `RAZORBILL_${words.toUpperCase()}`
}

/** The settings that the environment can fix. */
export const fixableKeys = settingKeys.filter((key) => {
  const { internal, ownCall }: Definition = settings[key]
  return !internal && !ownCall
})

/**
 * Reads the settings that the environment fixes. An empty variable counts as unset.
 * Adds one sentence to `problems` for each invalid variable.
 */
export function readFixedSettings(variables: Variables, problems: string[]): FixedSettings {
  const fixed: Record<string, string | number | boolean> = {}
  for (const key of fixableKeys) {
    const name = variableOf(key)
    const text = variables[name]
    if (!text?.trim()) continue
    const value = parseText(key, text)
    const problem = problemOf(key, value)
    if (problem) problems.push(`${name} ${problem.must}.`)
    else fixed[key] = value
  }
  return fixed as FixedSettings
}
