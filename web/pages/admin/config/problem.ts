import type { TFunction } from 'i18next'
import type { AdminVariable } from '../../../../src/config/contract.ts'
import { ApiError } from '../../../api.ts'
import { formatBytes, formatNumber } from '../../../lib/format.ts'
import { categoryOf } from './groups.ts'

/** A setting that the server refused, with the reason. */
export interface SettingProblem {
  key: string
  text: string
}

/** Returns the refused setting of an error, or null if the error is not about a setting. */
export function settingProblem(t: TFunction, error: unknown, variables: AdminVariable[]): SettingProblem | null {
  if (!(error instanceof ApiError) || error.code !== 'config_invalid') return null
  const { key, reason, min, max, needs, ...details } = error.details as Record<string, string | number>
  const variable = variables.find((candidate) => candidate.key === key)
  if (!variable) return null
  if (reason === 'incomplete' && categoryOf(String(needs)) === categoryOf(variable.key)) {
    return { key: String(needs), text: t('config.invalid.neededBy', { name: t(`config.${key}`) }) }
  }
  const amount = (value?: string | number) => (typeof value === 'number' ? formatAmount(t, value, variable.unit) : value)
  const text = t([`config.invalid.${reason}`, 'config.invalid'], {
    ...details,
    min: amount(min),
    max: amount(max),
    needs: needs && t(`config.${needs}`),
  })
  return { key: variable.key, text }
}

/** Formats a number with its unit: `10 MB`, `90 days`. */
export function formatAmount(t: TFunction, value: number, unit?: AdminVariable['unit']): string {
  if (unit === 'bytes') return formatBytes(value)
  if (unit === undefined) return formatNumber(value)
  const [count, name] = value > 0 && value % 24 === 0 ? [value / 24, 'day'] : [value, 'hour']
  return `${formatNumber(count)} ${t(`config.unit.${name}`, { count })}`
}
