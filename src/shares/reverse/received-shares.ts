import type { Settings } from '../../config/settings.ts'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { placeholderFor } from '../../mail/default-texts.ts'
import { writeMail } from '../../mail/service.ts'
import type { Share } from '../queries.ts'
import { claimReceived, recordChange, recordReceived, sendersOf } from './queries.ts'

/** Minimum milliseconds between two emails about one reverse share. */
const interval = 300_000

type MailContext = Pick<Context, 'sealer' | 'now'> & { db: Db }

/**
 * Records a received share for an email to the receiver. Call it in a transaction.
 * `notified` is false if the receiver or the administrator has turned off these emails.
 * `mails` are the ids of emails that are already due, for `enqueueWrittenMails`.
 */
export async function announceReceived(
  ctx: MailContext,
  settings: Settings,
  share: Share,
  link: string,
): Promise<{ notified: boolean; mails: string[] }> {
  const id = share.reverseShareId
  const notified = id !== null && settings['smtp.enabled'] && (await recordReceived(ctx.db, id, link))
  return { notified, mails: notified ? await writeReceivedMails(ctx, settings, { id, limit: 1 }) : [] }
}

/**
 * Records a change of a received share for an email to the receiver, if they had one when it was
 * received. Changes within five minutes share one email. Returns the ids of due emails for
 * `enqueueWrittenMails`. Call it in a transaction.
 */
export async function announceChange(ctx: MailContext, settings: Settings, share: Share, link: string): Promise<string[]> {
  const id = share.reverseShareId
  if (id === null || !settings['smtp.enabled']) return []
  const isRecorded = await recordChange(ctx.db, id, link, `${link} (${placeholderFor(settings['general.language'], 'changed')})`)
  return isRecorded ? writeReceivedMails(ctx, settings, { id, limit: 1 }) : []
}

/**
 * Stores the due emails about shares received through up to `limit` reverse shares.
 * Returns their ids for `enqueueWrittenMails`. Call it in a transaction.
 */
export async function writeReceivedMails(ctx: MailContext, settings: Settings, filter: { id?: string; limit: number }): Promise<string[]> {
  if (!settings['smtp.enabled']) return []
  const now = ctx.now()
  const due = await claimReceived(ctx.db, { ...filter, now, before: new Date(now.getTime() - interval) })
  const mails: string[] = []
  for (const { email, links } of due) {
    const variables = { creator: await senderNames(ctx.db, links), shareUrl: links.join('\n') }
    mails.push(await writeMail(ctx, settings, { to: email, kind: 'reverseShare', variables }))
  }
  return mails
}

/** Returns the names of the senders of recorded shares; null if one of them has none. */
async function senderNames(db: Db, links: readonly string[]): Promise<string | null> {
  const ids = links.flatMap((link) => /\/share\/([\w-]+)(?: |$)/.exec(link)?.[1] ?? [])
  const names = await sendersOf(db, ids)
  return names.includes(null) ? null : [...new Set(names)].join(', ')
}
