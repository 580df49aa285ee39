import { linkOf, timeOf } from '../present.ts'
import type { Share } from '../queries.ts'
import type { ShareLink } from './contract.ts'
import type { FurtherLink } from './queries.ts'

interface Now {
  now: Date
  /** The URL of this installation. */
  baseUrl: string
}

/** Returns the first link of a share for its owner. */
export function firstLink({ linkLabel: label, linkEnabled: enabled, ...share }: Share, now: Now): ShareLink {
  return present({ ...share, label, enabled, recipient: null, verifyEmail: false }, { ...now, first: true })
}

/** Returns a further link of a share for its owner. */
export function otherLink(link: FurtherLink, now: Now): ShareLink {
  return present(link, { ...now, first: false })
}

type Rules = Pick<
  FurtherLink,
  | 'id'
  | 'label'
  | 'recipient'
  | 'verifyEmail'
  | 'passwordHash'
  | 'expiresAt'
  | 'maxViews'
  | 'views'
  | 'maxDownloads'
  | 'downloads'
  | 'enabled'
  | 'createdAt'
>

function present(rules: Rules, { now, baseUrl, first }: Now & { first: boolean }): ShareLink {
  const { id, label, recipient, verifyEmail, passwordHash, expiresAt, maxViews, views, maxDownloads, downloads, enabled, createdAt } = rules
  return {
    id,
    link: linkOf(baseUrl, id),
    first,
    label,
    recipient,
    verifyEmail,
    hasPassword: passwordHash !== null,
    expiration: timeOf(expiresAt),
    maxViews,
    views,
    maxDownloads,
    downloads,
    enabled,
    state: stateOf(rules, now),
    createdAt: createdAt.toISOString(),
  }
}

function stateOf({ enabled, expiresAt, maxViews, views, maxDownloads, downloads }: Rules, now: Date): ShareLink['state'] {
  if (!enabled) return 'off'
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  const isUsed = (maxViews !== null && views >= maxViews) || (maxDownloads !== null && downloads >= maxDownloads)
  return isUsed ? 'used' : 'open'
}
