import type { NewReverseShare, OwnReverseShare, ReverseShareChanges } from '../../../src/reverse-shares/contract.ts'
import type { AskedFields } from '../../../src/shares/contract.ts'
import { type ExpirationValues, initialExpiration, requestedExpiration } from '../../components/share-form/expiration.ts'
import { expirationRules } from '../../components/share-form/expiration-rules.ts'
import { fittingUnit, unitsOf } from '../../lib/units.ts'
import { settings } from '../../start.ts'

/** Values of the form of a reverse share. Fields that were never shown are undefined. */
export interface Fields extends ExpirationValues {
  name?: string
  /** Whether an existing expiration is changed. */
  renew?: boolean
  /** null: no limit. */
  maxUseCount: number | null
  /** In `maxSizeUnit`; null for the limit of all shares. */
  maxSize: number | null
  maxSizeUnit: string
  /** In `totalSizeUnit`; null for no limit. */
  totalSize?: number | null
  totalSizeUnit?: string
  simplified: boolean
  publicAccess: boolean
  sendEmailNotification?: boolean
  askName?: AskedFields['name']
  askEmail?: AskedFields['email']
  askMessage?: AskedFields['message']
  allowedTypes?: string[]
  password?: string
  /** Whether an existing password is removed. */
  removePassword?: boolean
  token?: string
}

/** Senders are asked for their name, because shares of different senders would look the same otherwise. */
export const usuallyAsked = { askName: 'optional', askEmail: 'off', askMessage: 'off' } as const

const defaultMaxSize = 1e10 // bytes

/** Returns the initial values of the form. */
export function initialFields(): Fields {
  return {
    expiration: initialExpiration(expirationRules()),
    ...sizeFields(Math.min(defaultMaxSize, settings['share.maxSize'])),
    ...totalFields(null),
    maxUseCount: null,
    simplified: true,
    publicAccess: false,
    sendEmailNotification: settings['smtp.enabled'],
  }
}

/** Returns the values of the form for an existing reverse share. */
export function fieldsOf(reverse: OwnReverseShare): Fields {
  const { name, maxShareSize, maxTotalSize, maxUseCount, simplified, publicAccess, sendEmailNotification, fields, allowedTypes } = reverse
  return {
    expiration: initialExpiration(expirationRules()),
    ...sizeFields(Number(maxShareSize)),
    ...totalFields(maxTotalSize),
    name: name ?? '',
    maxUseCount,
    simplified,
    publicAccess,
    sendEmailNotification,
    allowedTypes,
    askName: fields.name,
    askEmail: fields.email,
    askMessage: fields.message,
  }
}

function sizeFields(size: number): Pick<Fields, 'maxSize' | 'maxSizeUnit'> {
  const unit = fittingUnit('bytes', size)
  return { maxSize: size / unit.size, maxSizeUnit: unit.name }
}

function totalFields(size: string | null): Pick<Fields, 'totalSize' | 'totalSizeUnit'> {
  if (size === null) return { totalSize: null, totalSizeUnit: 'GB' }
  const { maxSize: totalSize, maxSizeUnit: totalSizeUnit } = sizeFields(Number(size))
  return { totalSize, totalSizeUnit }
}

/** Converts an amount in a unit into bytes. */
export function bytesOf(amount: number, unit: string): number {
  const size = unitsOf('bytes').find(({ name }) => name === unit)?.size ?? 1
  return Math.round(amount * size)
}

/** Converts the form values into the body of the request. */
export function newReverseShare(fields: Fields): NewReverseShare {
  const { name, allowedTypes, password, token } = fields
  const { askName, askEmail, askMessage } = { ...usuallyAsked, ...fields }
  return {
    ...commonValues(fields),
    ...(fields.maxSize && { maxShareSize: String(bytesOf(fields.maxSize, fields.maxSizeUnit)) }),
    ...(name && { name }),
    shareExpiration: requestedExpiration(fields.expiration, expirationRules()),
    fields: { name: askName, email: askEmail, message: askMessage },
    ...(allowedTypes?.length && { allowedTypes }),
    ...(password && { password }),
    ...(token && { token }),
  }
}

/** Converts the form values into the body of the request that changes a reverse share. */
export function changesOf(fields: Fields): ReverseShareChanges {
  const { name, renew, askName, askEmail, askMessage, allowedTypes, password, removePassword } = fields
  const asked = { ...(askName && { name: askName }), ...(askEmail && { email: askEmail }), ...(askMessage && { message: askMessage }) }
  return {
    ...commonValues(fields),
    maxShareSize: String(fields.maxSize ? bytesOf(fields.maxSize, fields.maxSizeUnit) : settings['share.maxSize']),
    name: name || null,
    ...(renew && { shareExpiration: requestedExpiration(fields.expiration, expirationRules()) }),
    fields: asked,
    ...(allowedTypes && { allowedTypes }),
    ...(password ? { password } : removePassword && { password: null }),
  }
}

/** A field that is not shown, as without email, is left out and keeps its value. */
function commonValues({ maxUseCount, simplified, publicAccess, sendEmailNotification, totalSize, totalSizeUnit = 'GB' }: Fields) {
  return {
    maxUseCount,
    simplified,
    publicAccess,
    ...(sendEmailNotification !== undefined && { sendEmailNotification }),
    ...(totalSize !== undefined && { maxTotalSize: totalSize ? String(bytesOf(totalSize, totalSizeUnit)) : null }),
  }
}
