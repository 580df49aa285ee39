import type { TFunction } from 'i18next'
import type { AdminVariable } from '../../../../src/config/contract.ts'
import { parseExpiration } from '../../../components/share-form/expiration.ts'
import { formatNumber } from '../../../lib/format.ts'
import { start } from '../../../start.ts'
import { formatAmount } from './problem.ts'
import type { Value } from './values.ts'

/**
 * Returns a value of a setting as text, by default the current value. Empty if there is nothing to
 * show.
 */
export function valueText(t: TFunction, variable: AdminVariable, value: Value = variable.value): string {
  if (variable.secret) return t(variable.isSet ? 'config.secret.set' : 'config.notSet')
  if (typeof value === 'boolean') return t(value ? 'config.on' : 'config.off')
  if (variable.key === 'share.maxExpiration' && value === 0) return t('config.unlimited')
  if (variable.key === 'smtp.port') return value === 0 ? t('config.notSet') : String(value)
  if (typeof value === 'number') return formatAmount(t, value, variable.unit)
  if (variable.key === 'share.defaultExpiration') return expiration(t, value)
  return variable.choices ? choiceText(t, variable.key, value) : value
}

/** Returns one of the choices of a setting as text. */
export function choiceText(t: TFunction, key: string, value: string): string {
  if (key === 'general.language') return start.languages.find(({ code }) => code === value)?.name ?? value
  return t(`config.${key}.${value}`, value)
}

function expiration(t: TFunction, text: string): string {
  const { never, count, unit } = parseExpiration(text)
  return never ? t('common.never') : `${formatNumber(count ?? 0)} ${t(`upload.unit.${unit}`, { count: count ?? 0 })}`
}
