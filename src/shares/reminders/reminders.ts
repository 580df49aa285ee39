import type { Settings } from '../../config/settings.ts'
import { mailedUrl } from '../../mail/mailed-url.ts'
import { storeMail } from '../../mail/service.ts'
import { renderFixed } from '../../mail/templates.ts'
import { enabledLink } from '../links/queries.ts'
import { linkOf } from '../present.ts'
import { type Share, titledShare } from '../queries.ts'
import { describedShare } from '../recipients/described-share.ts'
import { canHaveRecipients } from '../recipients/recipients.ts'
import { claimReminders, postponeReminder, recipientEmails } from './queries.ts'
import { type MailContext, type Sender, type Written, writeToSenders } from './sender-mails.ts'

/**
 * Stores emails about up to `limit` shares that expire soon and that no one has downloaded: to the
 * sender, who can extend the share, and to its recipients. Call it in a transaction.
 */
export async function writeReminders(ctx: MailContext, settings: Settings, limit: number): Promise<Written> {
  const hours = settings['share.reminderHours']
  if (hours === 0 || !settings['smtp.enabled']) return { shares: 0, mails: [] }
  return writeToSenders(await claimReminders(ctx.db, { now: ctx.now(), hours, limit }), {
    ctx,
    settings,
    othersOf: (share) => recipientsOf(ctx, settings, share),
    write: (share, sender, recipients) => remindersOf(ctx, settings, share, { sender, recipients }),
    postpone: (share) => postponeReminder(ctx.db, share),
  })
}

async function recipientsOf({ db, now }: MailContext, settings: Settings, share: Share): Promise<string[]> {
  return canHaveRecipients(settings) && (await enabledLink(db, share, now())) !== undefined ? recipientEmails(db, share.id) : []
}

/**
 * Returns whether all downloads are known. With the activity turned off, those from the store or a
 * proxy are not.
 */
function knowsDownloads({ env, storage }: MailContext, settings: Settings): boolean {
  return settings['share.activity'] || (env.sendfile === 'off' && !storage.direct)
}

async function remindersOf(
  ctx: MailContext,
  settings: Settings,
  share: Share,
  { sender, recipients }: { sender: Sender; recipients: readonly string[] },
): Promise<string[]> {
  const language = settings['general.language']
  const facts = {
    ...describedShare(language, await titledShare(ctx.db, share.uid), share.size),
    time: share.expiresAt,
    username: sender.username,
  }
  const toSender = renderFixed(language, 'reminder', { ...facts, url: mailedUrl(settings, `/share/${share.id}/extend`) })
  const mails = knowsDownloads(ctx, settings)
    ? [await storeMail(ctx, { kind: 'reminder', to: sender.email, shareId: share.id, ...toSender })]
    : []
  const link = (await enabledLink(ctx.db, share, ctx.now())) ?? share.id
  const toRecipient = renderFixed(language, 'recipientReminder', { ...facts, url: linkOf(mailedUrl(settings, ''), link) })
  const replyTo = sender.emailVerified ? sender.email : null
  for (const to of recipients)
    mails.push(await storeMail(ctx, { kind: 'recipientReminder', to, shareId: share.id, replyTo, ...toRecipient }))
  return mails
}
