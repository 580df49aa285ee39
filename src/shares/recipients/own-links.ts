import type { Context } from '../../context.ts'
import { newLink } from '../../crypto/tokens.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { idAttempts } from '../limits.ts'
import { insertRecipientLinks } from '../links/queries.ts'
import type { Share } from '../queries.ts'
import { linksOfRecipients, type RecipientLink } from './queries.ts'

interface LinkOwners {
  share: Share
  recipientIds: readonly string[]
  /** Characters of a new link. */
  length: number
}

/**
 * Returns the links of these recipients of a share by the recipients' ids. Those without one get one
 * with the rules of the share's first link. Call it in a transaction that has locked the share.
 * @throws {AppError} share_id_taken: no random link was free
 */
export async function ensureOwnLinks(
  { db, now }: Pick<Context, 'now'> & { db: Db },
  { share, recipientIds, length }: LinkOwners,
): Promise<Map<string, RecipientLink>> {
  if (recipientIds.length === 0) return new Map()
  for (let attempt = 0; attempt <= idAttempts; attempt++) {
    const links = await linksOfRecipients(db, recipientIds)
    const missing = recipientIds.filter((id) => !links.has(id))
    if (missing.length === 0) return links
    const rules = { ...inheritedRules(share), shareId: share.id, verifyEmail: share.verifyRecipients, createdAt: now() }
    await insertRecipientLinks(
      db,
      missing.map((recipientId) => ({ ...rules, recipientId, id: newLink(length) })),
    )
  }
  throw new AppError('share_id_taken')
}

/** Returns the rules that a recipient's link gets from the share. */
export function inheritedRules({ passwordHash, maxViews, maxDownloads }: Pick<Share, 'passwordHash' | 'maxViews' | 'maxDownloads'>) {
  return { passwordHash, maxViews, maxDownloads }
}
