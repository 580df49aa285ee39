import type { LinkChanges, NewLink, ShareLink } from '../../../src/shares/links/contract.ts'
import { isNever } from '../../lib/format.ts'

/** The choice that leaves the expiration of a link as it is. */
export const keptExpiration = 'kept'
/** Durations that a link can expire after. `never`: together with its share. */
export const durations = ['never', '1-days', '7-days', '30-days', '90-days']

/** Values of the form of a link. */
export interface LinkFields {
  label?: string
  /** undefined keeps the current password, null removes it. */
  password?: string | null
  expiration: string
  /** null: no limit. */
  maxViews: number | null
  maxDownloads: number | null
}

/** Returns the initial values of the form; those of a new link if there is none. */
export function fieldsOf(link: ShareLink | null): LinkFields {
  return {
    label: link?.label ?? '',
    expiration: link && !isNever(link.expiration) ? keptExpiration : 'never',
    maxViews: link?.maxViews ?? null,
    maxDownloads: link?.maxDownloads ?? null,
  }
}

/** Converts the form values into the body of the request that adds a link. */
export function newLink({ label, password, expiration, maxViews, maxDownloads }: LinkFields): NewLink {
  return { label: label?.trim() || null, ...(password && { password }), expiration, maxViews, maxDownloads }
}

/** Converts the form values into the body of the request that changes a link. */
export function changesOf({ label, password, expiration, maxViews, maxDownloads }: LinkFields, link: ShareLink): LinkChanges {
  return {
    label: label?.trim() || null,
    ...(password !== undefined && (link.hasPassword || password) && { password }),
    ...(expiration !== fieldsOf(link).expiration && { expiration }),
    maxViews,
    maxDownloads,
  }
}
