import { readSettings } from '../../config/service.ts'
import type { Settings } from '../../config/settings.ts'
import type { Context } from '../../context.ts'
import { hashPassword } from '../../crypto/passwords.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { visibleText } from '../../invisible-characters.ts'
import { type MailSender, withMails } from '../../mail/allowance.ts'
import { enqueueWrittenMails } from '../../mail/service.ts'
import type { ShareChanges } from '../contract.ts'
import { checkMaximum, parseExpiration } from '../expiration.ts'
import { recipientsMax } from '../limits.ts'
import type { Right } from '../owner.ts'
import { linkOf } from '../present.ts'
import type { Share } from '../queries.ts'
import * as queries from '../queries.ts'
import { addRecipients, canHaveRecipients, notifyRecipients } from '../recipients/recipients.ts'
import { announceChange, announceReceived } from '../reverse/received-shares.ts'
import { prepareZip, queueCleanUp } from '../service.ts'
import * as edits from './queries.ts'

type Editing = Pick<Context, 'db' | 'env' | 'now' | 'queue' | 'sealer'>

async function locked(tx: Db, uid: string): Promise<Share> {
  const share = await queries.lockShare(tx, uid)
  if (!share) throw new AppError('share_not_found')
  return share
}

/**
 * Shows a share to its visitors with all its files, or with all that was changed since it was reopened; recipients who were not told yet are, each by one
 * e-mail. Throws `share_already_completed`, `share_has_no_files`, and `upload_incomplete` with the ids of `files` that have not arrived. `notified`: the
 * owner of the reverse share that it came through will have an e-mail; undefined for others.
 */
export async function complete(ctx: Editing, uid: string, baseUrl: string): Promise<{ share: Share; notified: boolean | undefined }> {
  const settings = await readSettings(ctx)
  const now = ctx.now()
  const { share, mails, gone, notified } = await ctx.db.transaction().execute(async (tx) => {
    const before = await locked(tx, uid)
    if (!before.uploadOpen) throw new AppError('share_already_completed')
    const lost = await queries.deleteLostChunks(tx, before.id)
    const { count, unfinished } = await queries.uploadState(tx, before.id)
    if (count === 0) throw new AppError('share_has_no_files')
    if (unfinished.length > 0) throw new AppError('upload_incomplete', { files: unfinished })
    const gone = lost + (await edits.publishChanges(tx, before.id))
    await queries.closeUpload(tx, uid, now)
    const share = await queries.bumpRevision(tx, uid, { zip: settings['share.zipCompressionLevel'] > 0, now })
    const told = await notifyRecipients({ ...ctx, db: tx }, settings, share, baseUrl)
    const isNew = before.completedAt === null && share.reverseShareId !== null
    const arrival = isNew ? await announceReceived({ ...ctx, db: tx }, settings, share, linkOf(baseUrl, share.id)) : undefined
    const changes = before.completedAt === null ? [] : await announceChange({ ...ctx, db: tx }, settings, share, linkOf(baseUrl, share.id))
    return { share, gone, notified: arrival?.notified, mails: [...told, ...(arrival?.mails ?? []), ...changes] }
  })
  await Promise.all([prepareZip(ctx, share), enqueueWrittenMails(ctx, mails), gone > 0 && queueCleanUp(ctx)])
  return { share, notified }
}

/** Takes uploads and other changes of a completed share again; visitors keep seeing it as it is until `complete`. Twice, or of an open one, does nothing. */
export function reopen({ db, now }: Pick<Context, 'db' | 'now'>, uid: string): Promise<Share> {
  return db.transaction().execute(async (tx) => {
    const share = await locked(tx, uid)
    if (share.uploadOpen) return share
    await edits.discardFileChanges(tx, share.id)
    return edits.setUploadOpen(tx, uid, true, now())
  })
}

/** Ends editing without saving. Throws `share_not_being_edited`. */
export async function restore(ctx: Pick<Context, 'db' | 'now' | 'queue'>, uid: string): Promise<Share> {
  const share = await ctx.db.transaction().execute(async (tx) => {
    const edited = await locked(tx, uid)
    if (!isEdited(edited)) throw new AppError('share_not_being_edited')
    return dropChanges(tx, edited, ctx.now())
  })
  await queueCleanUp(ctx)
  return share
}

async function dropChanges(tx: Db, { uid, id }: Share, now: Date): Promise<Share> {
  await edits.deleteUnpublished(tx, id)
  await edits.discardFileChanges(tx, id)
  return edits.setUploadOpen(tx, uid, false, now)
}

/** Whether a share was reopened and not saved since. */
export function isEdited({ uploadOpen, completedAt }: Pick<Share, 'uploadOpen' | 'completedAt'>): boolean {
  return uploadOpen && completedAt !== null
}

/**
 * Makes a share that came through a reverse share an own one of its receiver `userId`; what its sender has changed and not saved is dropped. Throws
 * `forbidden` for others, `share_not_found` before it is completed.
 */
export async function adopt(ctx: Pick<Context, 'db' | 'now' | 'queue'>, uid: string, userId: string): Promise<Share> {
  const share = await ctx.db.transaction().execute(async (tx) => {
    const received = await locked(tx, uid)
    if (received.receiverId !== userId) throw new AppError('forbidden')
    if (received.completedAt === null) throw new AppError('share_not_found')
    if (received.uploadOpen) await dropChanges(tx, received, ctx.now())
    return edits.transferToReceiver(tx, uid)
  })
  await queueCleanUp(ctx)
  return share
}

/**
 * Changes what is said about a share and its limits, at once. A new password ends unlock tokens; new recipients are told when the share is next completed,
 * or now when it is. Throws `expiration_invalid`, `expiration_exceeds_maximum`, `recipients_disabled`, `too_many_recipients`, `too_many_emails`, and `forbidden` where the reverse share that it came through says when it expires.
 */
export async function change(
  ctx: Editing & Pick<Context, 'limiters'>,
  share: Share,
  { right, sender }: { right: Right; sender: MailSender },
  changes: ShareChanges,
  baseUrl: string,
): Promise<Share> {
  const settings = await readSettings(ctx)
  const { recipients = [] } = changes
  if (recipients.length > 0 && !mayTell(settings, share, right)) throw new AppError('recipients_disabled')
  if (recipients.length > recipientsMax) throw new AppError('too_many_recipients', { max: recipientsMax })
  const values = await changedValues(ctx, settings, share, right, changes)
  const work = (): Promise<{ changed: Share; mails: string[] }> =>
    ctx.db.transaction().execute(async (tx) => {
      const { uid, id } = await locked(tx, share.uid)
      const changed = await queries.changeShare(tx, uid, { ...values, activeAt: ctx.now() })
      await addRecipients({ db: tx, now: ctx.now }, id, recipients)
      return { changed, mails: changed.uploadOpen ? [] : await notifyRecipients({ ...ctx, db: tx }, settings, changed, baseUrl) }
    })
  const { changed, mails } = await withMails(ctx, sender, recipients, work)
  await enqueueWrittenMails(ctx, mails)
  return changed
}

/** Whoever sends through a reverse share without an account sends no e-mails. */
function mayTell(settings: Settings, { receiverId }: Share, right: Right): boolean {
  return canHaveRecipients(settings) && !(receiverId !== null && right === 'anonymous creator')
}

async function changedValues(
  { now }: Pick<Context, 'now'>,
  settings: Settings,
  { receiverId }: Share,
  right: Right,
  { name, description, expiration, password, maxViews }: ShareChanges,
): Promise<queries.ChangedShare> {
  if (expiration !== undefined && receiverId !== null && right !== 'admin') throw new AppError('forbidden')
  const expiresAt = expiration === undefined ? undefined : parseExpiration(expiration, now())
  if (expiresAt !== undefined) checkMaximum(expiresAt, settings['share.maxExpiration'], now())
  return {
    ...(name !== undefined && { name: visibleText(name) }),
    ...(description !== undefined && { description: visibleText(description) }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(maxViews !== undefined && { maxViews }),
    ...(password !== undefined && { passwordHash: password === null ? null : await hashPassword(password, 'share') }),
  }
}
