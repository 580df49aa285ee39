import type { OwnerPage, ShareChanges } from '../../../src/shares/contract.ts'
import { type Expiration, expirationText, initialExpiration } from '../../components/share-form/expiration.ts'

/** The form of what is said about a share, its password and its limits. */
export interface Details extends Expiration {
  name: string
  description: string
  maxViews: number | null
  /** Undefined keeps the password that there is, null takes it away. */
  password?: string | null
  /** Whether it is to expire at another time. */
  renew: boolean
}

/** What the form starts with. */
export function detailsOf({ name, description, maxViews }: OwnerPage): Details {
  return {
    ...initialExpiration(new Date()),
    name: name ?? '',
    description: description ?? '',
    maxViews,
    password: undefined,
    renew: false,
  }
}

/** What of it differs from the share; empty when nothing does. */
export function changesOf(details: Details, share: OwnerPage): ShareChanges {
  const { name = '', description = '', maxViews = null, password, renew, never, count, unit } = details
  return {
    ...((name.trim() || null) !== share.name && { name: name.trim() || null }),
    ...((description.trim() || null) !== share.description && { description: description.trim() || null }),
    ...(maxViews !== share.maxViews && { maxViews }),
    ...(password !== undefined && (share.hasPassword || password) && { password }),
    ...(renew && { expiration: expirationText({ never, count, unit }) }),
  }
}
