import type { AdminVariable } from '../../../../src/config/contract.ts'

export type Value = AdminVariable['value']
/** The unsaved values by key. Null resets a setting to its default. */
export type Drafts = Readonly<Record<string, Value | null>>

/** Returns the value that a field shows: the unsaved value or the current value. */
export function shownValue(variable: AdminVariable, drafts: Drafts): Value {
  const draft = drafts[variable.key]
  if (draft === undefined) return variable.value
  return draft ?? variable.defaultValue
}

/**
 * Returns the drafts after a change of one setting. A value equal to the current one is removed
 * from the drafts.
 */
export function withDraft(drafts: Drafts, variable: AdminVariable, value: Value | null): Drafts {
  const { [variable.key]: _, ...others } = drafts
  const draft = value === '' && !variable.secret ? null : value
  return changes(variable, draft) ? { ...others, [variable.key]: draft } : others
}

function changes(variable: AdminVariable, value: Value | null): boolean {
  if (variable.secret) return value === null ? variable.isSet : value !== ''
  return value === null ? variable.isSet : value !== variable.value
}
