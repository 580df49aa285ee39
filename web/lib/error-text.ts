import type { TFunction } from 'i18next'
import { ApiError, type Issue } from '../api.ts'
import { formatBytes, formatNumber, formatTime } from './format.ts'

/** An error of the page itself, with the key of its text. */
export class ShownError extends Error {
  readonly params: Record<string, string>

  constructor(key: string, params: Record<string, string>) {
    super(key)
    this.params = params
  }
}

/** Returns the text of an error in the user's language. */
export function errorText(t: TFunction, error: unknown): string {
  if (error instanceof ShownError) return t(error.message, error.params)
  if (!(error instanceof ApiError)) return t('error.internal')
  return t(`error.${error.code}`, { ...error.details, max: maximum(error), defaultValue: t('error.internal') })
}

/** Formats a limit: a number counts things in errors like `too_many_links`, otherwise bytes; a string is a time. */
function maximum({ code, details: { max } }: ApiError): string | undefined {
  if (typeof max === 'number') return code.startsWith('too_many_') ? formatNumber(max) : formatBytes(max)
  return typeof max === 'string' ? formatTime(max) : undefined
}

/**
 * Returns the errors of a form's fields for antd's `form.setFields`.
 * `fieldOfCode` maps error codes to fields, for errors that don't name their field.
 */
export function fieldErrors(
  t: TFunction,
  error: unknown,
  fieldOfCode: Partial<Record<string, string>> = {},
): { name: string; errors: string[] }[] {
  if (!(error instanceof ApiError)) return []
  const name = fieldOfCode[error.code] ?? error.details.field
  if (typeof name === 'string') return [{ name, errors: [errorText(t, error)] }]
  return error.issues.map((issue) => ({ name: issue.path, errors: [ruleText(t, issue)] }))
}

const ruleKeys: Record<string, string> = {
  minLength: 'rule.minLength',
  maxLength: 'rule.maxLength',
  required: 'rule.required',
  type: 'rule.required',
}

function ruleText(t: TFunction, { path, rule = '', params }: Issue): string {
  if (rule === 'format' && params?.format === 'email') return t('rule.email')
  if (rule === 'pattern' && path === 'username') return t('rule.username')
  return t(ruleKeys[rule] ?? 'rule.invalid', { length: params?.limit })
}
