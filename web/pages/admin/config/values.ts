import type { AdminVariable } from '../../../../src/config/contract.ts'

export type Value = string | number | boolean
/** What an administrator has changed and not saved, by key; null: back to the default. */
export type Drafts = Readonly<Record<string, Value | null>>

/** The value in force, of the setting's own type. */
export function storedValue(variable: AdminVariable): Value {
  return typed(variable, variable.value)
}

/** The value that a setting has when nobody sets it. */
export function defaultValue(variable: AdminVariable): Value {
  return typed(variable, variable.defaultValue)
}

/** What the field of a setting shows: what was typed, else what is in force. */
export function shownValue(variable: AdminVariable, drafts: Drafts): Value {
  const draft = drafts[variable.key]
  if (draft === undefined) return storedValue(variable)
  return draft ?? defaultValue(variable)
}

/** The drafts after one setting was given a value; a value that changes nothing is none. */
export function withDraft(drafts: Drafts, variable: AdminVariable, value: Value | null): Drafts {
  const { [variable.key]: _, ...others } = drafts
  const wanted = value === '' && !variable.secret ? null : value
  return changes(variable, wanted) ? { ...others, [variable.key]: wanted } : others
}

function changes(variable: AdminVariable, value: Value | null): boolean {
  if (variable.secret) return value === null ? variable.isSet : value !== ''
  return value === null ? variable.isSet : value !== storedValue(variable)
}

function typed({ type }: AdminVariable, text: string): Value {
  if (type === 'boolean') return text === 'true'
  return type === 'number' ? Number(text) : text
}
