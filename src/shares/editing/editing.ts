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
import { discardDraft, publishDraft } from '../document/queries.ts'
import { checkChanges } from '../encryption.ts'
import { checkMaximum, parseExpiration } from '../expiration.ts'
import { recipientsMax } from '../limits.ts'
import { changeRecipientLinks } from '../links/queries.ts'
import type { Right } from '../owner.ts'
import { linkOf } from '../present.ts'
import type { Share } from '../queries.ts'
import * as queries from '../queries.ts'
import { rememberRecipients } from '../recipients/known.ts'
import { addRecipients, canAddRecipients, notifyRecipients } from '../recipients/recipients.ts'
import { announceChange, announceReceived } from '../reverse/received-shares.ts'
import { preparePreviews, prepareZip, queueCleanUp } from '../service.ts'
import * as edits from './queries.ts'

type EditContext = Pick<Context, 'db' | 'env' | 'now' | 'queue' | 'sealer'>

async function lockExisting(tx: Db, uid: string): Promise<Share> {
  const share = await queries.lockShare(tx, uid)
  if (!share) throw new AppError('share_not_found')
  return share
}

/**
 * Publishes a share with all its files, or all changes since it was reopened. Emails each recipient
 * once. `notified` is whether the receiver will get an email; undefined for shares that weren't
 * just received.
 * @throws {AppError} share_not_found, share_already_completed, share_has_no_files
 * @throws {AppError} upload_incomplete: with the ids of the unfinished `files`
 * @throws {AppError} document_missing: it is encrypted, and no document says what it contains
 */
export async function complete(ctx: EditContext, uid: string, baseUrl: string): Promise<{ share: Share; notified: boolean | undefined }> {
  const settings = await readSettings(ctx)
  const now = ctx.now()
  const { share, mails, deletedFiles, notified } = await ctx.db.transaction().execute(async (tx) => {
    const before = await lockExisting(tx, uid)
    if (!before.uploadOpen) throw new AppError('share_already_completed')
    const lostFiles = await queries.deleteLostChunks(tx, before.id)
    const { count, unfinished } = await queries.uploadState(tx, before.id)
    if (count === 0) throw new AppError('share_has_no_files')
    if (unfinished.length > 0) throw new AppError('upload_incomplete', { files: unfinished })
    if (before.encrypted && !(await publishDraft(tx, before.id))) throw new AppError('document_missing')
    const deletedFiles = lostFiles + (await edits.publishChanges(tx, before.id))
    await queries.closeUpload(tx, uid, now)
    const share = await queries.bumpRevision(tx, uid, { zip: settings['share.zipCompressionLevel'] > 0, now })
    const recipientMails = await notifyRecipients({ ...ctx, db: tx }, settings, share, baseUrl)
    const isNew = before.completedAt === null && share.reverseShareId !== null
    const received = isNew ? await announceReceived({ ...ctx, db: tx }, settings, share, linkOf(baseUrl, share.id)) : undefined
    const changeMails =
      before.completedAt === null ? [] : await announceChange({ ...ctx, db: tx }, settings, share, linkOf(baseUrl, share.id))
    return { share, deletedFiles, notified: received?.notified, mails: [...recipientMails, ...(received?.mails ?? []), ...changeMails] }
  })
  await Promise.all([
    prepareZip(ctx, share),
    preparePreviews(ctx, settings, uid),
    enqueueWrittenMails(ctx, mails),
    deletedFiles > 0 && queueCleanUp(ctx),
  ])
  return { share, notified }
}

/**
 * Reopens a completed share for uploads and other changes. Visitors see the published state until
 * `complete`. Does nothing if the share is already open.
 * @throws {AppError} share_not_found
 */
export function reopen({ db, now }: Pick<Context, 'db' | 'now'>, uid: string): Promise<Share> {
  return db.transaction().execute(async (tx) => {
    const share = await lockExisting(tx, uid)
    if (share.uploadOpen) return share
    await edits.discardFileChanges(tx, share.id)
    await discardDraft(tx, share.id)
    return edits.setUploadOpen(tx, uid, true, now())
  })
}

/**
 * Discards all unsaved changes and stops editing.
 * @throws {AppError} share_not_found, share_not_being_edited
 */
export async function restore(ctx: Pick<Context, 'db' | 'now' | 'queue'>, uid: string): Promise<Share> {
  const share = await ctx.db.transaction().execute(async (tx) => {
    const edited = await lockExisting(tx, uid)
    if (!isEdited(edited)) throw new AppError('share_not_being_edited')
    return discardChanges(tx, edited, ctx.now())
  })
  await queueCleanUp(ctx)
  return share
}

async function discardChanges(tx: Db, { uid, id }: Share, now: Date): Promise<Share> {
  await edits.deleteUnpublished(tx, id)
  await edits.discardFileChanges(tx, id)
  await discardDraft(tx, id)
  return edits.setUploadOpen(tx, uid, false, now)
}

/** Whether a share was reopened and not saved yet. */
export function isEdited({ uploadOpen, completedAt }: Pick<Share, 'uploadOpen' | 'completedAt'>): boolean {
  return uploadOpen && completedAt !== null
}

/**
 * Makes `userId`, the receiver of a share, its owner. Discards the sender's unsaved changes. A
 * private share stays private unless `publicAccess`.
 * @throws {AppError} forbidden: `userId` is not the receiver
 * @throws {AppError} share_not_found: also if the share isn't completed
 */
export async function adopt(
  ctx: Pick<Context, 'db' | 'now' | 'queue'>,
  uid: string,
  { userId, publicAccess = false }: { userId: string; publicAccess?: boolean | undefined },
): Promise<Share> {
  const share = await ctx.db.transaction().execute(async (tx) => {
    const received = await lockExisting(tx, uid)
    if (received.receiverId !== userId) throw new AppError('forbidden')
    if (received.completedAt === null) throw new AppError('share_not_found')
    if (received.uploadOpen) await discardChanges(tx, received, ctx.now())
    return edits.transferToReceiver(tx, uid, publicAccess)
  })
  await queueCleanUp(ctx)
  return share
}

/** What a share stores about its first link besides the rules that are its own. */
export interface FirstLinkChanges {
  linkLabel?: string | null | undefined
  linkEnabled?: boolean | undefined
}

/**
 * Changes the details, password and limits of a share, and of its recipients' links, at once. A new
 * password invalidates unlock tokens. New recipients get an email now, or when the share is next completed.
 * @throws {AppError} share_not_found, expiration_invalid, recipients_disabled, too_many_emails
 * @throws {AppError} expiration_exceeds_maximum: with `max` (ISO 8601)
 * @throws {AppError} too_many_recipients: with `max`
 * @throws {AppError} forbidden: a reverse share sets the expiration, and only the owner of a share
 *   that no one has yet to adopt decides who can open it
 */
export async function change(
  ctx: EditContext & Pick<Context, 'limiters'>,
  share: Share,
  { right, sender }: { right: Right; sender: MailSender },
  changes: ShareChanges & FirstLinkChanges,
  baseUrl: string,
): Promise<Share> {
  checkChanges(share, changes)
  const settings = await readSettings(ctx)
  const { recipients = [] } = changes
  if ((recipients.length > 0 || changes.verifyRecipients) && !canAddRecipients(settings, share, right))
    throw new AppError('recipients_disabled')
  if (recipients.length > recipientsMax) throw new AppError('too_many_recipients', { max: recipientsMax })
  const values = await changedValues(ctx, settings, share, right, changes)
  const work = (): Promise<{ changed: Share; mails: string[] }> =>
    ctx.db.transaction().execute(async (tx) => {
      const before = await lockExisting(tx, share.uid)
      const { uid, id } = before
      const changed = await queries.changeShare(tx, uid, { ...values, activeAt: ctx.now() })
      await changeRecipientLinks(tx, before, changed)
      await addRecipients({ db: tx, now: ctx.now }, id, recipients)
      if ('userId' in sender) await rememberRecipients(tx, sender.userId, recipients, ctx.now())
      return { changed, mails: changed.uploadOpen ? [] : await notifyRecipients({ ...ctx, db: tx }, settings, changed, baseUrl) }
    })
  const { changed, mails } = await withMails(ctx, sender, recipients, work)
  await enqueueWrittenMails(ctx, mails)
  return changed
}

async function changedValues(
  { now }: Pick<Context, 'now'>,
  settings: Settings,
  { receiverId }: Share,
  right: Right,
  { name, description, expiration, password, maxViews, publicAccess, linkLabel, ...others }: ShareChanges & FirstLinkChanges,
): Promise<queries.ChangedShare> {
  if (expiration !== undefined && receiverId !== null && right !== 'admin') throw new AppError('forbidden')
  if (publicAccess !== undefined && (receiverId !== null || right !== 'owner')) throw new AppError('forbidden')
  const expiresAt = expiration === undefined ? undefined : parseExpiration(expiration, now())
  if (expiresAt !== undefined) checkMaximum(expiresAt, settings['share.maxExpiration'], now())
  return {
    ...(name !== undefined && { name: visibleText(name) }),
    ...(description !== undefined && { description: visibleText(description) }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(maxViews !== undefined && { maxViews }),
    ...(others.maxDownloads !== undefined && { maxDownloads: others.maxDownloads }),
    ...(others.deleteAfterDownloads !== undefined && { deleteAfterDownloads: others.deleteAfterDownloads }),
    ...(others.notify !== undefined && { notify: others.notify, notifiedUntil: others.notify === 'every' ? now() : null }),
    ...(others.verifyRecipients !== undefined && { verifyRecipients: others.verifyRecipients }),
    ...(linkLabel !== undefined && { linkLabel: visibleText(linkLabel) }),
    ...(others.linkEnabled !== undefined && { linkEnabled: others.linkEnabled }),
    ...(publicAccess !== undefined && { private: !publicAccess }),
    ...(password !== undefined && { passwordHash: password === null ? null : await hashPassword(password, 'share') }),
  }
}
