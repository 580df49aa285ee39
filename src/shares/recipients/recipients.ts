import { readSettings } from '../../config/service.ts'
import type { Settings } from '../../config/settings.ts'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { isUuid } from '../../http/formats.ts'
import { type MailSender, withMails } from '../../mail/allowance.ts'
import { requeueMail } from '../../mail/queries.ts'
import { enqueueWrittenMails, writeMail } from '../../mail/service.ts'
import type { Recipient } from '../contract.ts'
import { recipientsMax } from '../limits.ts'
import { enabledLink } from '../links/queries.ts'
import { linkOf } from '../present.ts'
import { lockShare, ownerOf, type Share, titledShare } from '../queries.ts'
import { describedShare } from './described-share.ts'
import * as queries from './queries.ts'

type MailContext = Pick<Context, 'sealer' | 'now'> & { db: Db }

/** Whether shares can have recipients: recipients and email are both turned on. */
export function canHaveRecipients(settings: Settings): boolean {
  return settings['email.enableShareEmailRecipients'] && settings['smtp.enabled']
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
 * Stores an email to each recipient who has none yet, unless recipients, email or all links of the
 * share are turned off.
 * Returns the emails' ids for `enqueueWrittenMails`.
 */
export async function notifyRecipients(ctx: MailContext, settings: Settings, share: Share, baseUrl: string): Promise<string[]> {
  if (!canHaveRecipients(settings)) return []
  return writeMails(ctx, settings, share, baseUrl, await queries.unnotifiedRecipients(ctx.db, share.id))
}

async function writeMails(
  ctx: MailContext,
  settings: Settings,
  share: Share,
  baseUrl: string,
  recipients: { id: string; email: string }[],
) {
  const link = recipients.length === 0 ? undefined : await enabledLink(ctx.db, share, ctx.now())
  if (link === undefined) return []
  const owner = await ownerOf(ctx.db, share.ownerId)
  const creatorEmail = owner?.emailVerified ? owner.email : null
  const variables = {
    creator: owner?.username ?? null,
    creatorEmail,
    ...describedShare(settings['general.language'], await titledShare(ctx.db, share.uid), share.size),
    shareUrl: linkOf(baseUrl, link),
    desc: share.description,
    expires: share.expiresAt,
  }
  const mails: string[] = []
  for (const { id, email } of recipients) {
    const mail = { to: email, replyTo: creatorEmail, kind: 'shareRecipients', shareId: share.id, variables } as const
    const mailId = await writeMail(ctx, settings, mail)
    await queries.recordMail(ctx.db, id, mailId)
    mails.push(mailId)
  }
  return mails
}

/** Returns a share's recipients with the state of their emails. */
export async function listRecipients(db: Db, shareId: string): Promise<Recipient[]> {
  return (await queries.recipientsOf(db, shareId)).map(present)
}

/**
 * Sends a failed email to a recipient again.
 * @throws {AppError} recipients_disabled, recipient_not_found, recipient_not_failed,
 *   too_many_emails
 */
export async function retryRecipient(
  ctx: Pick<Context, 'db' | 'env' | 'limiters' | 'sealer' | 'now' | 'queue'>,
  sender: MailSender,
  uid: string,
  id: string,
  baseUrl: string,
): Promise<Recipient> {
  const settings = await readSettings(ctx)
  if (!canHaveRecipients(settings)) throw new AppError('recipients_disabled')
  const { shareId, mails } = await ctx.db.transaction().execute(async (tx) => {
    const share = await lockShare(tx, uid)
    const recipient = share && isUuid(id) ? await queries.lockRecipient(tx, share.id, id) : undefined
    if (!share || !recipient) throw new AppError('recipient_not_found')
    if (recipient.state !== 'failed') throw new AppError('recipient_not_failed')
    return withMails(ctx, sender, [recipient.email], async () => {
      const requeued =
        share.linkEnabled && recipient.mailId !== null && (await requeueMail(tx, recipient.mailId, ctx.now())) ? recipient.mailId : null
      return {
        shareId: share.id,
        mails: requeued ? [requeued] : await writeMails({ ...ctx, db: tx }, settings, share, baseUrl, [recipient]),
      }
    })
  })
  await enqueueWrittenMails(ctx, mails)
  const recipient = (await listRecipients(ctx.db, shareId)).find((candidate) => candidate.id === id)
  if (!recipient) throw new AppError('recipient_not_found')
  return recipient
}

function present({ id, email, state, error, sentAt }: Awaited<ReturnType<typeof queries.recipientsOf>>[number]): Recipient {
  return { id, email, state: state === 'sending' ? 'queued' : state, error, sentAt: sentAt?.toISOString() ?? null }
}
