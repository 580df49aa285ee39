import type { Settings } from '../../config/settings.ts'
import type { Context } from '../../context.ts'
import { signValue, verifyValue } from '../../crypto/signed.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { placeholderFor } from '../../mail/default-texts.ts'
import { storeMail } from '../../mail/service.ts'
import { renderFixed } from '../../mail/templates.ts'
import { ownerOf, type Share, titledShare } from '../queries.ts'
import { describedShare } from '../recipients/described-share.ts'
import { mailedUrl } from './mailed-url.ts'
import { claimNotices, type Downloaded, downloadedBetween, turnNoticesOff } from './queries.ts'

/** Minimum milliseconds between two emails about one share. */
const interval = 300_000
/** Milliseconds in which a replica records a complete download. */
const recordedWithin = 5_000
const listedMax = 20
const binding = { purpose: 'download notices', prefix: '' } as const

type MailContext = Pick<Context, 'sealer' | 'now'> & { db: Db }

/**
 * Stores emails to the senders of up to `limit` shares about complete downloads that were not
 * reported yet. Returns the number of shares and the ids of the emails for `enqueueWrittenMails`.
 * Call it in a transaction.
 */
export async function writeNotices(ctx: MailContext, settings: Settings, limit: number): Promise<{ shares: number; mails: string[] }> {
  if (!settings['smtp.enabled']) return { shares: 0, mails: [] }
  const until = new Date(ctx.now().getTime() - recordedWithin)
  const shares = await claimNotices(ctx.db, { until, before: new Date(until.getTime() - interval), limit })
  const mails: string[] = []
  for (const share of shares) {
    const downloads = await downloadedBetween(ctx.db, share.uid, share.notifiedUntil, until)
    const owner = await ownerOf(ctx.db, share.ownerId)
    if (owner) mails.push(await writeNotice(ctx, settings, { share, owner, downloads }))
  }
  return { shares: shares.length, mails }
}

interface Notice {
  share: Share
  owner: { username: string; email: string }
  downloads: readonly Downloaded[]
}

async function writeNotice(ctx: MailContext, settings: Settings, { share, owner, downloads }: Notice): Promise<string> {
  const language = settings['general.language']
  const { title } = describedShare(language, await titledShare(ctx.db, share.uid), share.size)
  const names = [...new Set(downloads.map(({ isZip, name }) => (isZip ? placeholderFor(language, 'allFiles') : (name ?? '…'))))]
  const text = renderFixed(language, 'downloadNotice', {
    username: owner.username,
    title,
    list: [...names.slice(0, listedMax), ...(names.length > listedMax ? ['…'] : [])].map((name) => `- ${name}`).join('\n'),
    url: mailedUrl(settings, `/share/${share.id}`),
    offUrl: mailedUrl(settings, `/notices/${signValue(ctx.sealer, binding, share.uid)}`),
  })
  return storeMail(ctx, { kind: 'downloadNotice', to: owner.email, shareId: share.id, ...text })
}

/**
 * Turns off the emails about downloads of the share that a token from an email names.
 * @throws {AppError} invalid_token: it was not signed by this installation, or the share was deleted
 */
export async function turnOffNotices({ db, sealer }: Pick<Context, 'db' | 'sealer'>, token: string): Promise<void> {
  const uid = verifyValue(sealer, binding, token)
  if (uid === null || !(await turnNoticesOff(db, uid))) throw new AppError('invalid_token')
}
