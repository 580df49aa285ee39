import type { TFunction } from 'i18next'
import { deviceNames, programName } from '../../../src/devices.ts'

/**
 * Returns a name for the device of a User-Agent header (RFC 9110, 10.1.5): `Firefox on Windows`, or
 * its beginning for other programs.
 */
export function deviceText(t: TFunction, userAgent: string | null): string {
  if (!userAgent) return t('account.unknownDevice')
  const { browser, system } = deviceNames(userAgent)
  if (browser && system) return t('account.device', { browser, system })
  return browser ?? system ?? programName(userAgent)
}
