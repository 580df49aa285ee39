import type { Settings } from '../../config/settings.ts'
import { languageOf } from '../../mail/languages.ts'
import { mailedUrl } from '../../mail/mailed-url.ts'
import { storeMail } from '../../mail/service.ts'
import { renderFixed } from '../../mail/templates.ts'
import { earlier } from '../expiration.ts'
import { enabledLink } from '../links/queries.ts'
import { linkOf } from '../present.ts'
import { titledShare } from '../queries.ts'
import { describedShare } from '../recipients/described-share.ts'
import { canHaveRecipients } from '../recipients/recipients.ts'
import { claimReminders, type ExpiringShare, type LateRecipient, lateRecipients, postponeReminder } from './queries.ts'
import { type MailContext, type Sender, type Written, writeToSenders } from './sender-mails.ts'

/**
 * Stores emails about up to `limit` shares that expire soon: to the sender, who can extend the share,
 * if no one has downloaded it, and to recipients who have not downloaded all of it. Call it in a
 * transaction.
 */
export async function writeReminders(ctx: MailContext, settings: Settings, limit: number): Promise<Written> {
  const hours = settings['share.reminderHours']
  if (hours === 0 || !settings['smtp.enabled']) return { shares: 0, mails: [] }
  const hasActivity = settings['share.activity']
  return writeToSenders(await claimReminders(ctx.db, { now: ctx.now(), hours, limit, hasActivity }), {
    ctx,
    settings,
    othersOf: (share) => recipientsOf(ctx, settings, share),
    write: (share, sender, recipients) => remindersOf(ctx, settings, share, { sender, recipients }),
    postpone: (share) => postponeReminder(ctx.db, share),
  })
}

/** Returns whom to remind, each with the link to send: their own or, without one, the first. */
async function recipientsOf({ db, now }: MailContext, settings: Settings, share: ExpiringShare): Promise<Reminded[]> {
  if (!canHaveRecipients(settings)) return []
  const late = await lateRecipients(db, share, now(), settings['share.activity'])
  const first = await enabledLink(db, share, now())
  return late.flatMap((recipient) => {
    const link = recipient.link ?? first
    return link ? [{ ...recipient, link }] : []
  })
}

type Reminded = LateRecipient & { link: string }

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
  share: ExpiringShare,
  { sender, recipients }: { sender: Sender; recipients: readonly Reminded[] },
): Promise<string[]> {
  const titled = await titledShare(ctx.db, share.uid)
  const factsIn = (language: string) => ({
    ...describedShare(language, titled, share.size),
    time: share.expiresAt,
    username: sender.username,
  })
  const mails: string[] = []
  if (share.isUnfetched && knowsDownloads(ctx, settings)) {
    const language = languageOf(settings, sender)
    const text = renderFixed(language, 'reminder', { ...factsIn(language), url: mailedUrl(settings, `/share/${share.id}/extend`) })
    mails.push(await storeMail(ctx, { kind: 'reminder', to: sender.email, shareId: share.id, ...text }))
  }
  const language = settings['general.language']
  const facts = factsIn(language)
  const replyTo = sender.emailVerified ? sender.email : null
  for (const { email, link, expiresAt } of recipients) {
    const own = { url: linkOf(mailedUrl(settings, ''), link), time: earlier(expiresAt, share.expiresAt) }
    const text = renderFixed(language, 'recipientReminder', { ...facts, ...own })
    mails.push(await storeMail(ctx, { kind: 'recipientReminder', to: email, shareId: share.id, replyTo, ...text }))
  }
  return mails
}
