import type { Settings } from '../../config/settings.ts'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { placeholderFor } from '../../mail/default-texts.ts'
import { writeMail } from '../../mail/service.ts'
import type { Share } from '../queries.ts'
import { claimReceived, noteChange, recordReceived } from './queries.ts'

/** Between two e-mails about one reverse share, in ms: what arrives meanwhile comes in one. */
const quiet = 300_000

type Writing = Pick<Context, 'sealer' | 'now'> & { db: Db }

/**
 * Notes that a share has come through a reverse share whose owner wants to know; false when nobody does. `mails`: ids for `enqueueWrittenMails`, when the e-mail about it
 * is due already. In a transaction.
 */
export async function announceReceived(
  ctx: Writing,
  settings: Settings,
  share: Share,
  link: string,
): Promise<{ notified: boolean; mails: string[] }> {
  const id = share.reverseShareId
  const notified = id !== null && settings['smtp.enabled'] && (await recordReceived(ctx.db, id, link))
  return { notified, mails: notified ? await writeReceivedMails(ctx, settings, { id, limit: 1 }) : [] }
}

/**
 * Records that the sender of a received share has changed it, for an e-mail to the receiver, who had one when it arrived.
 * Changes within five minutes come in one e-mail. Returns the ids of e-mails for `enqueueWrittenMails`. In a transaction.
 */
export async function announceChange(ctx: Writing, settings: Settings, share: Share, link: string): Promise<string[]> {
  const id = share.reverseShareId
  if (id === null || !settings['smtp.enabled']) return []
  const noted = await noteChange(ctx.db, id, link, `${link} (${placeholderFor(settings['general.language'], 'changed')})`)
  return noted ? writeReceivedMails(ctx, settings, { id, limit: 1 }) : []
}

/** Writes the e-mails down that are due about what has arrived at up to `limit` reverse shares; answers their ids, for `enqueueWrittenMails`. In a transaction. */
export async function writeReceivedMails(ctx: Writing, settings: Settings, of: { id?: string; limit: number }): Promise<string[]> {
  if (!settings['smtp.enabled']) return []
  const now = ctx.now()
  const due = await claimReceived(ctx.db, { ...of, now, before: new Date(now.getTime() - quiet) })
  const mails: string[] = []
  for (const { email, links } of due) {
    mails.push(await writeMail(ctx, settings, { to: email, kind: 'reverseShare', variables: { shareUrl: links.join('\n') } }))
  }
  return mails
}
