import { settings } from '../../start.ts'
import type { ExpirationRules } from './expiration.ts'

/** Returns the rules that an administrator has set for the expiration of shares. */
export function expirationRules(): ExpirationRules {
  return { preset: settings['share.defaultExpiration'], maxHours: settings['share.maxExpiration'] }
}
