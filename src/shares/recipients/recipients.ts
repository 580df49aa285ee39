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
import { linkOf } from '../present.ts'
import { lockShare, ownerOf, type Share } from '../queries.ts'
import * as mailed from './queries.ts'

type Writing = Pick<Context, 'sealer' | 'now'> & { db: Db }

/** Whether shares can have recipients: an administrator wants it, and e-mail works. */
export function canHaveRecipients(settings: Settings): boolean {
  return settings['email.enableShareEmailRecipients'] && settings['smtp.enabled']
}

/** Adds recipients to a share. Throws `too_many_recipients` with `max`. In a transaction that has locked the share. */
export async function addRecipients({ db, now }: Pick<Writing, 'db' | 'now'>, shareId: string, emails: string[]): Promise<void> {
  if (emails.length > recipientsMax) throw new AppError('too_many_recipients', { max: recipientsMax })
  await mailed.addRecipients(db, shareId, emails, now())
  if (emails.length > 0 && (await mailed.countRecipients(db, shareId)) > recipientsMax) {
    throw new AppError('too_many_recipients', { max: recipientsMax })
  }
}

/** Writes an e-mail down to each recipient who has had none; answers their ids, for `enqueueWrittenMails`. While e-mail is switched off nobody is told. */
export async function notifyRecipients(ctx: Writing, settings: Settings, share: Share, baseUrl: string): Promise<string[]> {
  if (!canHaveRecipients(settings)) return []
  return tell(ctx, settings, share, baseUrl, await mailed.unnotifiedRecipients(ctx.db, share.id))
}

async function tell(ctx: Writing, settings: Settings, share: Share, baseUrl: string, recipients: { id: string; email: string }[]) {
  if (recipients.length === 0) return []
  const owner = await ownerOf(ctx.db, share.ownerId)
  const variables = {
    creator: owner?.username ?? null,
    creatorEmail: owner?.email ?? null,
    shareUrl: linkOf(baseUrl, share.id),
    desc: share.description,
    expires: share.expiresAt,
  }
  const mails: string[] = []
  for (const { id, email } of recipients) {
    const mailId = await writeMail(ctx, settings, { to: email, kind: 'shareRecipients', shareId: share.id, variables })
    await mailed.recordMail(ctx.db, id, mailId)
    mails.push(mailId)
  }
  return mails
}

/** A share's recipients and what became of the e-mail to each. */
export async function listRecipients(db: Db, shareId: string): Promise<Recipient[]> {
  return (await mailed.recipientsOf(db, shareId)).map(presented)
}

/** Sends the e-mail to one recipient once more. Throws `recipient_not_found`, `recipient_not_failed`, `recipients_disabled`, `too_many_emails`. */
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
    const recipient = share && isUuid(id) ? await mailed.lockRecipient(tx, share.id, id) : undefined
    if (!share || !recipient) throw new AppError('recipient_not_found')
    if (recipient.state !== 'failed') throw new AppError('recipient_not_failed')
    return withMails(ctx, sender, [recipient.email], async () => {
      const again = recipient.mailId !== null && (await requeueMail(tx, recipient.mailId, ctx.now()))
      return {
        shareId: share.id,
        mails: again ? [recipient.mailId!] : await tell({ ...ctx, db: tx }, settings, share, baseUrl, [recipient]),
      }
    })
  })
  await enqueueWrittenMails(ctx, mails)
  const recipient = (await listRecipients(ctx.db, shareId)).find((one) => one.id === id)
  if (!recipient) throw new AppError('recipient_not_found')
  return recipient
}

function presented({ id, email, state, error, sentAt }: Awaited<ReturnType<typeof mailed.recipientsOf>>[number]): Recipient {
  return { id, email, state: state === 'sending' ? 'queued' : state, error, sentAt: sentAt?.toISOString() ?? null }
}
