import type { TFunction } from 'i18next'
import type { NewLink } from '../../../src/shares/links/contract.ts'
import { ApiError, api } from '../../api.ts'
import { errorText } from '../../lib/error-text.ts'
import type { MissingLink } from '../../lib/upload/results.ts'
import { randomLink } from '../share-form/random-link.ts'
import { type LinkFields, newLink } from './link-form.ts'

/** A link that is added to a new share as soon as the share exists. */
export interface PlannedLink extends LinkFields {
  id: string
}

/**
 * Converts planned links into bodies of requests. Links of an encrypted share have no password of
 * their own.
 */
export function bodiesOf(links: readonly PlannedLink[], encrypted: boolean): NewLink[] {
  return links.map(({ id, ...fields }) => ({ id, ...newLink(encrypted ? { ...fields, password: null } : fields) }))
}

/**
 * Adds links to a share in this order. Returns those that could not be added, so that the share is
 * kept and they can be tried again.
 */
export async function addLinks(shareId: string, bodies: readonly NewLink[], t: TFunction): Promise<MissingLink[]> {
  const missing: MissingLink[] = []
  for (const body of bodies) {
    try {
      await addLink(shareId, body)
    } catch (error) {
      missing.push({ body: { ...body, ...(isTaken(error) && { id: randomLink() }) }, problem: errorText(t, error) })
    }
  }
  return missing
}

/** Adds a link. It may exist already, if the response to an earlier request was lost. */
async function addLink(shareId: string, body: NewLink): Promise<void> {
  const params = { id: shareId }
  try {
    await api('POST /api/shares/:id/links', { params, body })
  } catch (error) {
    const links = isTaken(error) ? await api('GET /api/shares/:id/links', { params }) : []
    if (!links.some(({ id }) => id === body.id)) throw error
  }
}

const isTaken = (error: unknown) => error instanceof ApiError && error.code === 'share_id_taken'
