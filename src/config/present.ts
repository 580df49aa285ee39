import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { defaultTexts } from '../mail/default-texts.ts'
import type { AdminVariable, TextVariable } from './contract.ts'
import { fixableKeys, variableOf } from './environment.ts'
import { changedSettings } from './queries.ts'
import { fixedSettings, openSecret } from './service.ts'
import { type Definition, defaults, isSecret, type SettingKey, settingKeys, settings, typeOf } from './settings.ts'

const visibleKeys = settingKeys.filter((key) => !(settings[key] as Definition).internal)

type Value = Definition['default']
type Presenting = Pick<Context, 'db' | 'env' | 'sealer' | 'log'>

/**
 * Returns the settings of a category as administrators see them.
 * @throws {AppError} config_not_found: there is no such category
 */
export async function variablesOfCategory(ctx: Presenting, category: string): Promise<AdminVariable[]> {
  const keys = visibleKeys.filter((key) => key.startsWith(`${category}.`))
  if (keys.length === 0) throw new AppError('config_not_found', { key: category })
  return adminVariables(ctx, keys)
}

/** Returns all settings as administrators see them. */
export function allVariables(ctx: Presenting): Promise<AdminVariable[]> {
  return adminVariables(ctx, visibleKeys)
}

/** Returns a setting with its values as text. */
export function asText(variable: AdminVariable): TextVariable {
  return { ...variable, value: String(variable.value), defaultValue: String(variable.defaultValue) }
}

/** Returns settings as administrators see them, without the values of secrets. */
export async function adminVariables(ctx: Presenting, keys: SettingKey[]): Promise<AdminVariable[]> {
  const stored = new Map((await changedSettings(ctx.db)).map((setting) => [setting.key, setting]))
  const fixed = fixedSettings(ctx.env)
  const language = String(fixed['general.language'] ?? stored.get('general.language')?.value ?? defaults()['general.language'])
  const texts: Record<string, string> = defaultTexts(language)
  return keys.map((key) => {
    const row = stored.get(key)
    const value = fixed[key] ?? (row && isSecret(key) ? openSecret(ctx, key, String(row.value)) : (row?.value as Value | undefined))
    return present(key, texts[key] ?? settings[key].default, value, { updatedAt: row?.updatedAt ?? null, isFixed: key in fixed })
  })
}

function present(
  key: SettingKey,
  defaultValue: Value,
  value: Value | undefined,
  { updatedAt, isFixed }: { updatedAt: Date | null; isFixed: boolean },
): AdminVariable {
  const { unit, minimum, maximum, maxLength, choices }: Definition = settings[key]
  const secret = isSecret(key)
  return {
    key,
    name: key.slice(key.indexOf('.') + 1),
    value: secret ? '' : (value ?? defaultValue),
    defaultValue,
    type: typeOf(key),
    secret,
    obscured: secret,
    isSet: secret ? Boolean(value) : value !== undefined,
    updatedAt: updatedAt?.toISOString() ?? null,
    allowEdit: !isFixed && fixableKeys.includes(key),
    variable: variableOf(key),
    ...(unit && { unit }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(maxLength !== undefined && { maxLength }),
    ...(choices && { choices: [...choices] }),
  }
}
