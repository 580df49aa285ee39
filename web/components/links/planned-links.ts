import type { TFunction } from 'i18next'
import type { NewLink } from '../../../src/shares/links/contract.ts'
import { pause } from '../../../uploader/backoff.ts'
import { ApiError, api } from '../../api.ts'
import { errorText } from '../../lib/error-text.ts'
import type { MissingLink } from '../../lib/upload/results.ts'
import { randomLink } from '../share-form/random-link.ts'
import { type LinkFields, newLink } from './link-form.ts'

const patience = 10_000 // ms for one link

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
 * kept and they can be tried again. When the server can't be reached, it tries no more of them,
 * because the upload waits.
 */
export async function addLinks(shareId: string, bodies: readonly NewLink[], t: TFunction): Promise<MissingLink[]> {
  const missing: MissingLink[] = []
  let unreachable: ApiError | null = null
  for (const body of bodies) {
    try {
      if (unreachable) throw unreachable
      await Promise.race([addLink(shareId, body), timeout()])
    } catch (error) {
      if (error instanceof ApiError && error.code === 'network') unreachable = error
      missing.push({ body: { ...body, ...(isTaken(error) && { id: randomLink() }) }, problem: errorText(t, error) })
    }
  }
  return missing
}

async function timeout(): Promise<never> {
  await pause(patience)
  throw new ApiError('network', 0)
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
