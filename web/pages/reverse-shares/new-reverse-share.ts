import type { NewReverseShare } from '../../../src/reverse-shares/contract.ts'
import type { AskedFields } from '../../../src/shares/contract.ts'
import { type Expiration, expirationText, initialExpiration } from '../../components/share-form/expiration.ts'
import { fittingUnit, unitsOf } from '../../lib/units.ts'
import { settings } from '../../start.ts'

/** Values of the form of a new reverse share. Fields that were never shown are undefined. */
export interface Fields extends Expiration {
  name?: string
  maxUseCount: number
  /** In `maxSizeUnit`; null for the limit of all shares. */
  maxSize: number | null
  maxSizeUnit: string
  simplified: boolean
  publicAccess: boolean
  sendEmailNotification: boolean
  askName?: AskedFields['name']
  askEmail?: AskedFields['email']
  askMessage?: AskedFields['message']
  allowedTypes?: string[]
  password?: string
  token?: string
}

const defaultMaxSize = 1e9 // bytes

/** Returns the initial values of the form. */
export function initialFields(): Fields {
  const size = Math.min(defaultMaxSize, settings['share.maxSize'])
  const unit = fittingUnit('bytes', size)
  return {
    ...initialExpiration(new Date()),
    maxUseCount: 1,
    maxSize: size / unit.size,
    maxSizeUnit: unit.name,
    simplified: true,
    publicAccess: false,
    sendEmailNotification: settings['smtp.enabled'],
  }
}

/** Converts an amount in a unit into bytes. */
export function bytesOf(amount: number, unit: string): number {
  const size = unitsOf('bytes').find(({ name }) => name === unit)?.size ?? 1
  return Math.round(amount * size)
}

/** Converts the form values into the body of the request. */
export function newReverseShare(fields: Fields): NewReverseShare {
  const { name, maxSize, maxSizeUnit, askName = 'off', askEmail = 'off', askMessage = 'off', allowedTypes, password, token } = fields
  const { maxUseCount, simplified, publicAccess, sendEmailNotification = false } = fields
  return {
    ...(name && { name }),
    shareExpiration: expirationText(fields),
    ...(maxSize && { maxShareSize: String(bytesOf(maxSize, maxSizeUnit)) }),
    maxUseCount,
    simplified,
    publicAccess,
    sendEmailNotification,
    fields: { name: askName, email: askEmail, message: askMessage },
    ...(allowedTypes?.length && { allowedTypes }),
    ...(password && { password }),
    ...(token && { token }),
  }
}
