import type { Settings } from '../../config/settings.ts'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { storeMail } from '../../mail/service.ts'
import { renderFixed } from '../../mail/templates.ts'
import { linkOf } from '../present.ts'
import { ownerOf, type Share, titledShare } from '../queries.ts'
import { describedShare } from '../recipients/described-share.ts'
import { canHaveRecipients } from '../recipients/recipients.ts'
import { mailedUrl } from './mailed-url.ts'
import { claimReminders, recipientEmails } from './queries.ts'

type MailContext = Pick<Context, 'sealer' | 'now'> & { db: Db }

/**
 * Stores emails about up to `limit` shares that expire soon and that no one has downloaded: to the
 * sender, who can extend the share, and to its recipients. Returns the number of shares and the ids
 * of the emails for `enqueueWrittenMails`. Call it in a transaction.
 */
export async function writeReminders(ctx: MailContext, settings: Settings, limit: number): Promise<{ shares: number; mails: string[] }> {
  const hours = settings['share.reminderHours']
  if (hours === 0 || !settings['smtp.enabled']) return { shares: 0, mails: [] }
  const shares = await claimReminders(ctx.db, { now: ctx.now(), hours, limit })
  const mails: string[] = []
  for (const share of shares) mails.push(...(await remindersOf(ctx, settings, share)))
  return { shares: shares.length, mails }
}

async function remindersOf(ctx: MailContext, settings: Settings, share: Share): Promise<string[]> {
  const owner = await ownerOf(ctx.db, share.ownerId)
  if (!owner) return []
  const language = settings['general.language']
  const facts = {
    ...describedShare(language, await titledShare(ctx.db, share.uid), share.size),
    time: share.expiresAt,
    username: owner.username,
  }
  const toSender = renderFixed(language, 'reminder', { ...facts, url: mailedUrl(settings, `/share/${share.id}/extend`) })
  const mails = [await storeMail(ctx, { kind: 'reminder', to: owner.email, shareId: share.id, ...toSender })]
  const recipients = canHaveRecipients(settings) ? await recipientEmails(ctx.db, share.id) : []
  const toRecipient = renderFixed(language, 'recipientReminder', { ...facts, url: linkOf(mailedUrl(settings, ''), share.id) })
  const replyTo = owner.emailVerified ? owner.email : null
  for (const to of recipients)
    mails.push(await storeMail(ctx, { kind: 'recipientReminder', to, shareId: share.id, replyTo, ...toRecipient }))
  return mails
}
