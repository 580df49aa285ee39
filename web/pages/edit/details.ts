import type { OwnerPage, ShareChanges } from '../../../src/shares/contract.ts'
import { type ExpirationValues, initialExpiration, requestedExpiration } from '../../components/share-form/expiration.ts'
import { expirationRules } from '../../components/share-form/expiration-rules.ts'

/** Values of the form with a share's details. */
export interface Details extends ExpirationValues {
  name: string
  description: string
  maxViews: number | null
  maxDownloads: number | null
  deleteAfterDownloads: boolean
  notify: OwnerPage['notify']
  /** undefined keeps it. */
  verifyRecipients?: boolean
  /** undefined keeps the current password, null removes it. */
  password?: string | null
  /** Whether to set a new expiration. */
  renew: boolean
}

/** Returns the initial values of the form. */
export function detailsOf({ name, description, ...share }: OwnerPage): Details {
  const { maxViews, maxDownloads, deleteAfterDownloads, notify, verifyRecipients } = share
  return {
    expiration: initialExpiration(expirationRules()),
    name: name ?? '',
    description: description ?? '',
    maxViews,
    maxDownloads,
    deleteAfterDownloads,
    notify,
    verifyRecipients,
    password: undefined,
    renew: false,
  }
}

/** Returns the values that differ from the share; an empty object if none does. */
export function changesOf(details: Details, share: OwnerPage): ShareChanges {
  const { name = '', description = '', maxViews = null, maxDownloads = null, password, renew, expiration } = details
  const { notify = share.notify, verifyRecipients = share.verifyRecipients } = details
  const deleteAfterDownloads = maxDownloads !== null && details.deleteAfterDownloads
  return {
    ...((name.trim() || null) !== share.name && { name: name.trim() || null }),
    ...((description.trim() || null) !== share.description && { description: description.trim() || null }),
    ...(maxViews !== share.maxViews && { maxViews }),
    ...(maxDownloads !== share.maxDownloads && { maxDownloads }),
    ...(deleteAfterDownloads !== share.deleteAfterDownloads && { deleteAfterDownloads }),
    ...(notify !== share.notify && { notify }),
    ...(verifyRecipients !== share.verifyRecipients && { verifyRecipients }),
    ...(password !== undefined && (share.hasPassword || password) && { password }),
    ...(renew && { expiration: requestedExpiration(expiration, expirationRules()) }),
  }
}
