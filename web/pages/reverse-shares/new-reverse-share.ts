import type { NewReverseShare } from '../../../src/reverse-shares/contract.ts'
import type { AskedFields } from '../../../src/shares/contract.ts'
import { type Expiration, expirationText, initialExpiration } from '../../components/share-form/expiration.ts'
import { fittingUnit, unitsOf } from '../../lib/units.ts'
import { settings } from '../../start.ts'

/** The form of a new reverse share. What is folded away and was never opened is undefined. */
export interface Fields extends Expiration {
  name?: string
  maxUseCount: number
  /** In `maxSizeUnit`; null: as much as a share may have. */
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

const usual = 1e9 // bytes

/** What the form starts with. */
export function initialFields(): Fields {
  const size = Math.min(usual, settings['share.maxSize'])
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

/** An amount in a unit, in bytes. */
export function bytesOf(amount: number, unit: string): number {
  return Math.round(amount * unitsOf('bytes').find(({ name }) => name === unit)!.size)
}

/** The form as the server wants it. */
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
