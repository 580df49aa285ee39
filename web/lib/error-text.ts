import type { TFunction } from 'i18next'
import { ApiError, type Issue } from '../api.ts'
import { formatBytes, formatTime } from './format.ts'

/** What a failure means, in the user's language. */
export function errorText(t: TFunction, error: unknown): string {
  if (!(error instanceof ApiError)) return t('error.internal')
  return t(`error.${error.code}`, { ...error.details, max: maximum(error.details.max), defaultValue: t('error.internal') })
}

/** A number is a size in bytes, a text a moment. */
function maximum(max: unknown): string | undefined {
  if (typeof max === 'number') return formatBytes(max)
  return typeof max === 'string' ? formatTime(max) : undefined
}

/** What is wrong with a form's fields, for antd's `form.setFields`; `owner` names the field that an error code belongs to, where the error does not. */
export function fieldErrors(
  t: TFunction,
  error: unknown,
  owner: Partial<Record<string, string>> = {},
): { name: string; errors: string[] }[] {
  if (!(error instanceof ApiError)) return []
  const name = owner[error.code] ?? error.details.field
  if (typeof name === 'string') return [{ name, errors: [errorText(t, error)] }]
  return error.issues.map((issue) => ({ name: issue.path, errors: [ruleText(t, issue)] }))
}

const ruleKeys: Record<string, string> = {
  minLength: 'rule.minLength',
  maxLength: 'rule.maxLength',
  required: 'rule.required',
  type: 'rule.required',
}

function ruleText(t: TFunction, { rule = '', params }: Issue): string {
  if (rule === 'format' && params?.format === 'email') return t('rule.email')
  return t(ruleKeys[rule] ?? 'rule.invalid', { length: params?.limit })
}
