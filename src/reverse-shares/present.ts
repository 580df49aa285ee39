import { linkOf, timeOf } from '../shares/present.ts'
import type { ReverseShare } from '../shares/reverse/queries.ts'
import { askedFields } from '../shares/reverse/reverse-share.ts'
import type { OpenReverseShare, OwnReverseShare, ReceivedShare } from './contract.ts'
import { unlimitedUses } from './limits.ts'
import type { receivedShares } from './queries.ts'

type Received = Awaited<ReturnType<typeof receivedShares>>[number]

/** Returns the URL of an upload link. `baseUrl` is the URL of this installation. */
export function uploadLink(baseUrl: string, token: string): string {
  return `${baseUrl}/upload/${token}`
}

function common(reverse: ReverseShare) {
  const { id, token, name, expiresAt, simplified, publicAccess, passwordHash, allowedTypes } = reverse
  const [shareExpiration, hasPassword, fields] = [timeOf(expiresAt), passwordHash !== null, askedFields(reverse)]
  return { id, token, name, shareExpiration, simplified, publicAccess, hasPassword, fields, allowedTypes }
}

interface ReceivedShares {
  shareCount: number
  receivedSize: number
  shares: Received[]
}

/** Returns a reverse share for its owner, with the shares received through it. */
export function ownReverseShare(reverse: ReverseShare, { shares, ...totals }: ReceivedShares, baseUrl: string): OwnReverseShare {
  const { token, createdAt, enabled, maxSize, maxTotalSize, maxUses, sendEmailNotification } = reverse
  return {
    ...common(reverse),
    link: uploadLink(baseUrl, token),
    createdAt: createdAt.toISOString(),
    enabled,
    maxShareSize: String(maxSize),
    maxTotalSize: maxTotalSize === null ? null : String(maxTotalSize),
    maxUseCount: maxUses === unlimitedUses ? null : maxUses,
    remainingUses: remainingUses(reverse),
    sendEmailNotification,
    ...totals,
    shares: shares.map((share) => receivedShare(share, baseUrl)),
  }
}

/** Returns a received share for the owner of the reverse share. */
export function receivedShare({ senderName, senderEmail, senderMessage, username, ...share }: Received, baseUrl: string): ReceivedShare {
  const { id, name, description, size, views, fileCount, files } = share
  return {
    id,
    name,
    description,
    expiration: timeOf(share.expiresAt),
    createdAt: share.createdAt.toISOString(),
    completedAt: share.completedAt.toISOString(),
    changedAt: share.senderChangedAt?.toISOString() ?? null,
    creator: username === null ? null : { username },
    sender: { name: senderName, email: senderEmail, message: senderMessage },
    size,
    views,
    link: linkOf(baseUrl, id),
    fileCount,
    files,
  }
}

/** Returns a reverse share for visitors. `limit` is the maximum size of any share in bytes. */
export function openReverseShare(reverse: ReverseShare & { username: string }, limit: number): OpenReverseShare {
  const { maxSize, username } = reverse
  return {
    ...common(reverse),
    creator: { username },
    maxShareSize: String(Math.min(maxSize, limit)),
    remainingUses: remainingUses(reverse),
  }
}

/** null: no limit. A limit that was lowered may be below the uses so far. */
function remainingUses({ maxUses, uses }: ReverseShare): number | null {
  return maxUses === unlimitedUses ? null : Math.max(0, maxUses - uses)
}
