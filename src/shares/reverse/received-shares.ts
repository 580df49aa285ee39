import type { Settings } from '../../config/settings.ts'
import type { Context } from '../../context.ts'
import { signValue, verifyValue } from '../../crypto/signed.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { fill, placeholderFor } from '../../mail/default-texts.ts'
import { languageOf, textsFor } from '../../mail/languages.ts'
import { writeMail } from '../../mail/service.ts'
import { ownerOf, type Share } from '../queries.ts'
import { claimReceived, recordChange, recordReceived, sendersOf, turnReceivedNoticesOff } from './queries.ts'

/** Minimum milliseconds between two emails about one reverse share. */
const interval = 300_000
const binding = { purpose: 'reverse share notices', prefix: '' } as const

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
  const language = languageOf(settings, (await ownerOf(ctx.db, share.receiverId)) ?? { language: null })
  const isRecorded = await recordChange(ctx.db, id, link, `${link} (${placeholderFor(language, 'changed')})`)
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
  for (const { id, email, language, links } of due) {
    const texts = textsFor(settings, { language })
    const variables = { creator: await senderNames(ctx.db, links), shareUrl: links.join('\n') }
    const offUrl = `${siteOf(links)}/notices/received/${signValue(ctx.sealer, binding, id)}`
    const footer = fill(placeholderFor(texts['general.language'], 'turnOff'), { offUrl })
    mails.push(await writeMail(ctx, texts, { to: email, kind: 'reverseShare', variables, footer }))
  }
  return mails
}

/**
 * Turns off the emails about shares received through the reverse share that a token from an email
 * names.
 * @throws {AppError} invalid_token: it was not signed by this installation, or the reverse share was
 *   deleted
 */
export async function turnOffReceivedNotices({ db, sealer }: Pick<Context, 'db' | 'sealer'>, token: string): Promise<void> {
  const id = verifyValue(sealer, binding, token)
  if (id === null || !(await turnReceivedNoticesOff(db, id))) throw new AppError('invalid_token')
}

/** Returns the address of this installation as the senders knew it, which needs no setting. */
function siteOf([link = '']: readonly string[]): string {
  return link.slice(0, link.lastIndexOf('/share/'))
}

/** Returns the names of the senders of recorded shares; null if one of them has none. */
async function senderNames(db: Db, links: readonly string[]): Promise<string | null> {
  const ids = links.flatMap((link) => /\/share\/([\w-]+)(?: |$)/.exec(link)?.[1] ?? [])
  const names = await sendersOf(db, ids)
  return names.includes(null) ? null : [...new Set(names)].join(', ')
}
