import { readSettings } from '../config/service.ts'
import type { Settings } from '../config/settings.ts'
import type { Context } from '../context.ts'
import { hashPassword } from '../crypto/passwords.ts'
import { hashToken, newLink, newToken } from '../crypto/tokens.ts'
import { AppError } from '../errors.ts'
import { visibleText } from '../invisible-characters.ts'
import type { NewShare } from './contract.ts'
import { type Grace, graceOf } from './deletion/grace.ts'
import { checkEncryption } from './encryption.ts'
import { checkMaximum, defaultExpiration, parseExpiration } from './expiration.ts'
import { idAttempts, linkMaxLength, linkMinLength, linkPattern, plannedZipFiles, reservedLinks } from './limits.ts'
import { checkOpenShares } from './open-uploads.ts'
import type { Share } from './queries.ts'
import * as queries from './queries.ts'
import { rememberRecipients } from './recipients/known.ts'
import { addRecipients, canHaveRecipients } from './recipients/recipients.ts'
import { consumeUse, lockReverseShare, type ReverseShare } from './reverse/queries.ts'
import { requestedSender } from './reverse/reverse-share.ts'

const linkShape = new RegExp(linkPattern)

interface Creator {
  /** null: no account. */
  ownerId: string | null
  /** The key of the caller's IP address, which limits uploads without an account. */
  address: string
  /** The reverse share that the share is sent through. */
  reverseShare: ReverseShare | null
}

/**
 * Creates a share and opens it for uploads. Visitors can see it once it is completed.
 * Without an account, the result has the token that lets the creator continue.
 * A share sent through a reverse share consumes one of its uses and has its limits.
 * @throws {AppError} unauthenticated_shares_disabled, recipients_disabled, expiration_invalid
 * @throws {AppError} encryption_required, encryption_disabled
 * @throws {AppError} expiration_exceeds_maximum: with `max` (ISO 8601)
 * @throws {AppError} share_id_invalid, share_id_taken
 * @throws {AppError} too_many_open_uploads: with `limit` and `retryAfter` in seconds
 * @throws {AppError} too_many_recipients: with `max`
 * @throws {AppError} reverse_share_not_found: its last use was just consumed
 * @throws {AppError} validation_failed: a required field of the sender is missing
 */
export async function create(
  ctx: Pick<Context, 'db' | 'now' | 'queue'>,
  settings: Settings,
  { ownerId, address, reverseShare }: Creator,
  input: NewShare,
): Promise<{ share: Share; ownerToken?: string }> {
  if (!ownerId && !reverseShare && !settings['share.allowUnauthenticatedShares']) throw new AppError('unauthenticated_shares_disabled')
  checkEncryption(settings, input, reverseShare !== null)
  const { recipients = [] } = input
  if ((recipients.length > 0 || input.verifyRecipients) && (!canHaveRecipients(settings) || (reverseShare && !ownerId)))
    throw new AppError('recipients_disabled')
  if (input.id !== undefined && reservedLinks.includes(input.id)) throw new AppError('share_id_invalid')
  const now = ctx.now()
  const expiresAt = reverseShare ? reverseShare.expiresAt : expirationOf(input, settings, now)
  const received = reverseShare && receivedValues(reverseShare, input)
  const ownerToken = ownerId ? undefined : newToken()
  const { password, maxViews, maxDownloads, deleteAfterDownloads } = input.security ?? {}
  const values = {
    ...received,
    ownerId,
    openedFrom: ownerId ? null : address,
    ownerTokenHash: ownerToken ? hashToken(ownerToken) : null,
    ...(input.kind && { kind: input.kind }),
    encrypted: input.encrypted ?? false,
    name: visibleText(input.name),
    description: visibleText(input.description),
    passwordHash: password ? await hashPassword(password, 'share') : null,
    maxViews: maxViews ?? null,
    maxDownloads: maxDownloads ?? null,
    deleteAfterDownloads: deleteAfterDownloads ?? false,
    ...(input.notify && { notify: input.notify }),
    verifyRecipients: input.verifyRecipients ?? false,
    expiresAt,
    createdAt: now,
    activeAt: now,
  }
  const links = input.id !== undefined ? [input.id] : Array.from({ length: idAttempts }, () => newLink(settings['share.shareIdLength']))
  for (const id of links) {
    const share = await insert(ctx, { ...values, id }, { reverseShare, recipients, grace: { now, graceDays: settings['share.graceDays'] } })
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

/** Returns the values that a share gets from its reverse share and its sender. */
function receivedValues(reverseShare: ReverseShare, input: NewShare) {
  const sender = requestedSender(reverseShare, input.sender)
  return {
    reverseShareId: reverseShare.id,
    receiverId: reverseShare.ownerId,
    private: !reverseShare.publicAccess,
    maxSize: reverseShare.maxSize,
    senderName: sender.name,
    senderEmail: sender.email,
    senderMessage: sender.message,
  }
}

interface Related {
  reverseShare: ReverseShare | null
  recipients: string[]
  grace: Grace
}

/**
 * Inserts a share, after deleting an expired one with the same link that can't be reopened;
 * undefined if the link is taken.
 */
async function insert(
  ctx: Pick<Context, 'db' | 'now' | 'queue'>,
  share: Parameters<typeof queries.insertShare>[1],
  { reverseShare, recipients, grace }: Related,
): Promise<Share | undefined> {
  const { now } = grace
  const { inserted, deletedExpired } = await ctx.db.transaction().execute(async (tx) => {
    if (reverseShare && !(await lockReverseShare(tx, reverseShare.id))) throw new AppError('reverse_share_not_found')
    const deletedExpired = await queries.deleteExpiredShare(tx, share.id, grace)
    await checkOpenShares(tx, { ownerId: share.ownerId ?? null, openedFrom: share.openedFrom ?? null })
    const inserted = await queries.insertShare(tx, share)
    if (inserted && reverseShare && !(await consumeUse(tx, reverseShare.id, now))) throw new AppError('reverse_share_not_found')
    if (inserted) await addRecipients({ db: tx, now: ctx.now }, share.id, recipients)
    if (inserted?.ownerId) await rememberRecipients(tx, inserted.ownerId, recipients, now)
    return { deletedExpired, inserted }
  })
  if (deletedExpired) await queueCleanUp(ctx)
  return inserted
}

/**
 * Lets those of these shares that a user owns expire later, and reopens those that have expired and
 * that the user owns or received. Returns the ids of the extended ones.
 * @throws {AppError} expiration_invalid
 * @throws {AppError} expiration_exceeds_maximum: with `max` (ISO 8601)
 */
export async function extend(
  ctx: Pick<Context, 'db' | 'env' | 'now' | 'sealer'>,
  userId: string,
  ids: readonly string[],
  expiration: string,
) {
  const settings = await readSettings(ctx)
  const grace = { now: ctx.now(), graceDays: settings['share.graceDays'] }
  const expiresAt = parseExpiration(expiration, grace.now)
  checkMaximum(expiresAt, settings['share.maxExpiration'], grace.now)
  return queries.extendShares(ctx.db, ids, { userId, expiresAt, ...grace })
}

/** Whether a link is valid and available. */
export async function isLinkFree(ctx: Pick<Context, 'db' | 'env' | 'now'>, id: string): Promise<boolean> {
  if (id.length < linkMinLength || id.length > linkMaxLength || !linkShape.test(id) || reservedLinks.includes(id)) return false
  return !(await queries.isLinkTaken(ctx.db, id, { grace: await graceOf(ctx) }))
}

/**
 * Queues the build of the share's archive if its revision needs one, or its plan if the share is
 * large and its archive computed. Call it after the commit.
 */
export async function prepareZip({ queue }: Pick<Context, 'queue'>, share: Share): Promise<void> {
  const { id, uid, revision, zipState, encrypted, reservedFiles } = share
  const isPlanned = zipState === 'none' && !encrypted && reservedFiles >= plannedZipFiles
  if (zipState === 'preparing' || isPlanned) await queue.add('build-zip', { shareId: id, revision }, `zip-${uid}-${revision}`)
}

/**
 * Queues the previews of a share's published files, if they are turned on. Call it after the
 * commit.
 */
export async function preparePreviews({ queue }: Pick<Context, 'queue'>, settings: Settings, uid: string): Promise<void> {
  if (settings['share.previews']) await queue.add('make-previews', { shareUid: uid }, `previews-${uid}`)
}

/** Queues the clean-up, which deletes the objects of deleted rows. Call it after the commit. */
export async function queueCleanUp({ queue }: Pick<Context, 'queue'>): Promise<void> {
  await queue.add('clean-up', {}, 'clean-up')
}
