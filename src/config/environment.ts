import { type AllSettings, type Definition, type SettingKey, settingKeys, settings, typeOf } from './settings.ts'
import { normalize, problemOf } from './values.ts'

/** Settings that the deployment fixes; nobody can change them while it does. */
export type FixedSettings = Partial<AllSettings>
type Variables = Record<string, string | undefined>

const unreadable = Symbol('unreadable')
const ours = /^RAZORBILL_(GENERAL|SHARE|EMAIL|SMTP|OAUTH)_/
/** What Kubernetes adds for a Service whose name begins with ours. */
const ofService = /_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\d+_.+)$/

/** The environment variable that fixes a setting: `share.maxSize` → `RAZORBILL_SHARE_MAX_SIZE`, `oauth.oidc-clientId` → `RAZORBILL_OAUTH_OIDC_CLIENT_ID`. */
export function variableOf(key: SettingKey): string {
  const words = key.replace(/([a-z])([A-Z])/g, '$1_$2').replace(/[.-]/g, '_')
  return `RAZORBILL_${words.toUpperCase()}`
}

/** The settings that can be fixed, in their order. */
export const fixableKeys = settingKeys.filter((key) => {
  const { internal, ownCall }: Definition = settings[key]
  return !internal && !ownCall
})

/** The settings that the environment fixes. Adds one sentence to `problems` for each variable that cannot be used. An empty variable counts as unset. */
export function readFixedSettings(variables: Variables, problems: string[]): FixedSettings {
  const fixed: Record<string, string | number | boolean> = {}
  for (const key of fixableKeys) {
    const name = variableOf(key)
    const text = variables[name]
    if (!text?.trim()) continue
    const value = parsed(key, text)
    const problem = value === unreadable ? problemOf(key, typeOf(key) === 'boolean' ? 0 : false) : problemOf(key, value)
    if (problem) problems.push(`${name} ${problem.must}.`)
    else if (value !== unreadable) fixed[key] = value
  }
  const known = new Set(fixableKeys.map(variableOf))
  for (const name of Object.keys(variables)) {
    if (ours.test(name) && !ofService.test(name) && !known.has(name)) problems.push(`${name} names no setting.`)
  }
  return fixed as FixedSettings
}

function parsed(key: SettingKey, text: string): string | number | boolean | typeof unreadable {
  const trimmed = text.trim()
  switch (typeOf(key)) {
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : unreadable
    case 'boolean':
      return trimmed === 'true' || trimmed === 'false' ? trimmed === 'true' : unreadable
    default:
      return normalize(key, text)
  }
}
