import type { Settings } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { hashPassword } from '../crypto/passwords.ts'
import { hashToken, newLink, newToken } from '../crypto/tokens.ts'
import { AppError } from '../errors.ts'
import { visibleText } from '../invisible-characters.ts'
import type { NewShare } from './contract.ts'
import { checkMaximum, defaultExpiration, parseExpiration } from './expiration.ts'
import { linkMaxLength, linkMinLength, linkPattern, reservedLinks } from './limits.ts'
import { checkOpenShares } from './open-uploads.ts'
import type { Right } from './owner.ts'
import type { Share } from './queries.ts'
import * as queries from './queries.ts'
import { addRecipients, canHaveRecipients } from './recipients/recipients.ts'
import { consumeUse, type ReverseShare } from './reverse/queries.ts'
import { senderOf } from './reverse/reverse-share.ts'

const linkTries = 10
const linkShape = new RegExp(linkPattern)

interface Maker {
  /** null: without an account. */
  ownerId: string | null
  /** Where the call came from, by which uploads without an account are counted. */
  address: string
  /** The reverse share that it is sent through. */
  through: ReverseShare | null
}

/**
 * Opens a share for uploads; visitors see it once it is completed. Without an owner the answer carries the token by which its maker goes on. One that is
 * sent through a reverse share takes one of its uses, and its limits. Throws `unauthenticated_shares_disabled`, `recipients_disabled`, `expiration_invalid`,
 * `expiration_exceeds_maximum`, `share_id_invalid`, `share_id_taken`, `too_many_open_uploads`, `reverse_share_not_found` when its last use is gone, and `validation_failed` for what a
 * sender must say and did not.
 */
export async function create(
  ctx: Pick<Context, 'db' | 'now' | 'queue'>,
  settings: Settings,
  { ownerId, address, through }: Maker,
  input: NewShare,
): Promise<{ share: Share; ownerToken?: string }> {
  if (!ownerId && !through && !settings['share.allowUnauthenticatedShares']) throw new AppError('unauthenticated_shares_disabled')
  const { recipients = [] } = input
  if (recipients.length > 0 && (!canHaveRecipients(settings) || (through && !ownerId))) throw new AppError('recipients_disabled')
  if (input.id !== undefined && reservedLinks.includes(input.id)) throw new AppError('share_id_invalid')
  const now = ctx.now()
  const expiresAt = through ? through.expiresAt : expirationOf(input, settings, now)
  const received = through && receivedValues(through, input)
  const ownerToken = ownerId ? undefined : newToken()
  const { password, maxViews } = input.security ?? {}
  const values = {
    ...received,
    ownerId,
    openedFrom: ownerId ? null : address,
    ownerTokenHash: ownerToken ? hashToken(ownerToken) : null,
    name: visibleText(input.name),
    description: visibleText(input.description),
    passwordHash: password ? await hashPassword(password, 'share') : null,
    maxViews: maxViews ?? null,
    expiresAt,
    createdAt: now,
    activeAt: now,
  }
  const links = input.id !== undefined ? [input.id] : Array.from({ length: linkTries }, () => newLink(settings['share.shareIdLength']))
  for (const id of links) {
    const share = await take(ctx, { ...values, id }, { through, recipients })
    if (share) return { share, ...(ownerToken && { ownerToken }) }
  }
  throw new AppError('share_id_taken')
}

function expirationOf({ expiration }: NewShare, settings: Settings, now: Date): Date | null {
  const maximum = settings['share.maxExpiration']
  if (expiration === undefined) return defaultExpiration(settings['share.defaultExpiration'], maximum, now)
  const expires = parseExpiration(expiration, now)
  checkMaximum(expires, maximum, now)
  return expires
}

/** What a reverse share says of everything that is sent through it. */
function receivedValues(through: ReverseShare, { sender: said }: NewShare) {
  const sender = senderOf(through, said)
  return {
    reverseShareId: through.id,
    receiverId: through.ownerId,
    private: !through.publicAccess,
    maxSize: through.maxSize,
    senderName: sender.name,
    senderEmail: sender.email,
    senderMessage: sender.message,
  }
}

interface Company {
  through: ReverseShare | null
  recipients: string[]
}

/** The link of an expired share is free at once, before the clean-up comes by. */
async function take(
  ctx: Pick<Context, 'db' | 'now' | 'queue'>,
  share: Parameters<typeof queries.insertShare>[1],
  { through, recipients }: Company,
): Promise<Share | undefined> {
  const now = ctx.now()
  const { inserted, freed } = await ctx.db.transaction().execute(async (tx) => {
    const freed = await queries.removeExpired(tx, share.id, now)
    await checkOpenShares(tx, { ownerId: share.ownerId ?? null, openedFrom: share.openedFrom ?? null })
    const inserted = await queries.insertShare(tx, share)
    if (inserted && through && !(await consumeUse(tx, through.id, now))) throw new AppError('reverse_share_not_found')
    if (inserted) await addRecipients({ db: tx, now: ctx.now }, share.id, recipients)
    return { freed, inserted }
  })
  if (freed) await queueCleanUp(ctx)
  return inserted
}

/** Whether a link could be had now. */
export async function isLinkFree(ctx: Pick<Context, 'db' | 'now'>, id: string): Promise<boolean> {
  if (id.length < linkMinLength || id.length > linkMaxLength || !linkShape.test(id) || reservedLinks.includes(id)) return false
  return !(await queries.isLinkTaken(ctx.db, id, ctx.now()))
}

/**
 * Deletes a share; its bytes follow within a minute. Throws `anonymous_share_not_deletable` for whoever made it without an account, once it is completed:
 * before that they only give up.
 */
export async function remove(ctx: Pick<Context, 'db' | 'queue'>, share: Share, right: Right): Promise<void> {
  if (right === 'anonymous creator' && share.completedAt) throw new AppError('anonymous_share_not_deletable')
  if (!(await queries.deleteShare(ctx.db, share.uid))) throw new AppError('share_not_found')
  await queueCleanUp(ctx)
}

/** Hands in the making of the archive, where the share's revision wants one. After the commit. */
export async function prepareZip({ queue }: Pick<Context, 'queue'>, { id, uid, revision, zipState }: Share): Promise<void> {
  if (zipState === 'preparing') await queue.add('build-zip', { shareId: id, revision }, `zip-${uid}-${revision}`)
}

/** Has the bytes removed that deleted rows have left. After the commit. */
export async function queueCleanUp({ queue }: Pick<Context, 'queue'>): Promise<void> {
  await queue.add('clean-up', {}, 'clean-up')
}
