import type { Settings } from '../../config/settings.ts'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { isUuid } from '../../http/formats.ts'
import { deleteUnsentMailsTo } from '../../mail/queries.ts'
import { writeMail } from '../../mail/service.ts'
import { earlier } from '../expiration.ts'
import { recipientsMax } from '../limits.ts'
import { isUsable } from '../links/queries.ts'
import { retireLink } from '../links/retired.ts'
import type { Right } from '../owner.ts'
import { linkOf } from '../present.ts'
import { lockShare, ownerOf, type Share, titledShare } from '../queries.ts'
import { describedShare } from './described-share.ts'
import { ensureOwnLinks } from './own-links.ts'
import * as queries from './queries.ts'

type MailContext = Pick<Context, 'sealer' | 'now'> & { db: Db }

/** Whether shares can have recipients: recipients and email are both turned on. */
export function canHaveRecipients(settings: Settings): boolean {
  return settings['email.enableShareEmailRecipients'] && settings['smtp.enabled']
}

/**
 * Returns whether recipients can be added to this share. Senders without an account can't email those
 * of what they send through a reverse share.
 */
export function canAddRecipients(settings: Settings, { receiverId }: Share, right: Right): boolean {
  return canHaveRecipients(settings) && !(receiverId !== null && right === 'anonymous creator')
}

/**
 * Adds recipients to a share. Call it in a transaction that has locked the share.
 * @throws {AppError} too_many_recipients: with `max`
 */
export async function addRecipients({ db, now }: Pick<MailContext, 'db' | 'now'>, shareId: string, emails: string[]): Promise<void> {
  if (emails.length > recipientsMax) throw new AppError('too_many_recipients', { max: recipientsMax })
  await queries.addRecipients(db, shareId, emails, now())
  if (emails.length > 0 && (await queries.countRecipients(db, shareId)) > recipientsMax) {
    throw new AppError('too_many_recipients', { max: recipientsMax })
  }
}

/**
 * Stores an email to each recipient who has none yet, with a link of their own, unless recipients or
 * email are turned off. Returns the emails' ids for `enqueueWrittenMails`. Call it in a transaction
 * that has locked the share.
 */
export async function notifyRecipients(ctx: MailContext, settings: Settings, share: Share, baseUrl: string): Promise<string[]> {
  if (!canHaveRecipients(settings)) return []
  return writeMails(ctx, settings, share, baseUrl, await queries.unnotifiedRecipients(ctx.db, share.id))
}

/**
 * Stores an email to each of these recipients like `notifyRecipients`, except those whose link is
 * turned off or has expired.
 */
export async function writeMails(
  ctx: MailContext,
  settings: Settings,
  share: Share,
  baseUrl: string,
  recipients: readonly { id: string; email: string }[],
): Promise<string[]> {
  if (recipients.length === 0) return []
  const recipientIds = recipients.map(({ id }) => id)
  const links = await ensureOwnLinks(ctx, { share, recipientIds, length: settings['share.shareIdLength'] })
  const described = await describedMail(ctx.db, settings, share)
  const mails: string[] = []
  for (const { id, email } of recipients) {
    const link = links.get(id)
    if (!link || !isUsable(link, ctx.now())) continue
    const variables = { ...described, shareUrl: linkOf(baseUrl, link.id), expires: earlier(link.expiresAt, share.expiresAt) }
    const mail = { to: email, replyTo: described.creatorEmail, kind: 'shareRecipients', shareId: share.id, variables } as const
    const mailId = await writeMail(ctx, settings, mail)
    await queries.recordMail(ctx.db, id, mailId)
    mails.push(mailId)
  }
  return mails
}

async function describedMail(db: Db, settings: Settings, share: Share) {
  const owner = await ownerOf(db, share.ownerId)
  return {
    creator: owner?.username ?? null,
    creatorEmail: owner?.emailVerified ? owner.email : null,
    ...describedShare(settings['general.language'], await titledShare(db, share.uid), share.size),
    desc: share.description,
  }
}

/**
 * Removes a recipient. Their link stops at once, and emails to them that wait are not sent.
 * @throws {AppError} recipient_not_found
 */
export async function removeRecipient({ db }: Pick<Context, 'db'>, uid: string, id: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const share = await lockShare(tx, uid)
    const recipient = share && isUuid(id) ? await queries.lockRecipient(tx, share.id, id) : undefined
    if (!share || !recipient) throw new AppError('recipient_not_found')
    await deleteUnsentMailsTo(tx, share.id, recipient.email)
    const link = (await queries.linksOfRecipients(tx, [id])).get(id)
    if (link) await retireLink(tx, { uid: link.uid, shareId: share.id })
    await queries.deleteRecipient(tx, id)
  })
}
