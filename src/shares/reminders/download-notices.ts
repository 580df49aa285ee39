import type { Settings } from '../../config/settings.ts'
import type { Context } from '../../context.ts'
import { signValue, verifyValue } from '../../crypto/signed.ts'
import { AppError } from '../../errors.ts'
import { countedShareText, handedOutText, placeholderFor } from '../../mail/default-texts.ts'
import { languageOf } from '../../mail/languages.ts'
import { mailedUrl } from '../../mail/mailed-url.ts'
import { storeMail } from '../../mail/service.ts'
import { renderFixed } from '../../mail/templates.ts'
import { type Share, titledShare } from '../queries.ts'
import { describedShare } from '../recipients/described-share.ts'
import {
  claimFetchedByAll,
  claimNotices,
  type Downloaded,
  deleteUnwantedNotices,
  postponeFetchedByAll,
  postponeNotice,
  takeDownloaded,
  turnNoticesOff,
} from './notice-queries.ts'
import { type MailContext, type Sender, type Written, writeToSenders } from './sender-mails.ts'

/** Minimum milliseconds between two emails about one share. */
const interval = 300_000
const listedMax = 20
const binding = { purpose: 'download notices', prefix: '' } as const

/**
 * Stores emails to the senders of up to `limit` shares about complete downloads, and files that were
 * handed out, that were not reported yet. Call it in a transaction.
 */
export async function writeNotices(ctx: MailContext, settings: Settings, limit: number): Promise<Written> {
  await deleteUnwantedNotices(ctx.db)
  if (!settings['smtp.enabled']) return { shares: 0, mails: [] }
  const now = ctx.now()
  const shares = await claimNotices(ctx.db, { now, before: new Date(now.getTime() - interval), limit })
  return writeToSenders(shares, {
    ctx,
    settings,
    write: async (share, sender) => [await writeNotice(ctx, settings, share, sender)],
    postpone: (share) => postponeNotice(ctx.db, share),
  })
}

/**
 * Stores emails to the senders of up to `limit` shares whose recipients have all downloaded
 * everything. Call it in a transaction.
 */
export async function writeFetchedByAll(ctx: MailContext, settings: Settings, limit: number): Promise<Written> {
  if (!settings['smtp.enabled'] || !settings['share.activity']) return { shares: 0, mails: [] }
  return writeToSenders(await claimFetchedByAll(ctx.db, { now: ctx.now(), limit }), {
    ctx,
    settings,
    write: async (share, sender) => [await storeNotice(ctx, settings, share, sender, 'fetchedByAll')],
    postpone: (share) => postponeFetchedByAll(ctx.db, share),
  })
}

async function writeNotice(ctx: MailContext, settings: Settings, share: Share, sender: Sender): Promise<string> {
  const language = languageOf(settings, sender)
  const lines = [...new Set((await takeDownloaded(ctx.db, share.uid)).map((downloaded) => lineOf(language, share, downloaded)))]
  const list = [...lines.slice(0, listedMax), ...(lines.length > listedMax ? ['…'] : [])].map((line) => `- ${line}`).join('\n')
  return storeNotice(ctx, settings, share, sender, 'downloadNotice', { list })
}

async function storeNotice(
  ctx: MailContext,
  settings: Settings,
  share: Share,
  sender: Sender,
  kind: 'downloadNotice' | 'fetchedByAll',
  more: Record<string, string> = {},
): Promise<string> {
  const { username, email } = sender
  const language = languageOf(settings, sender)
  const { title } = describedShare(language, await titledShare(ctx.db, share.uid), share.size)
  const url = mailedUrl(settings, `/share/${share.id}`)
  const offUrl = mailedUrl(settings, `/notices/${signValue(ctx.sealer, binding, share.uid)}`)
  const text = renderFixed(language, kind, { username, title, url, offUrl, ...more })
  return storeMail(ctx, { kind, to: email, shareId: share.id, ...text })
}

/** Returns what was downloaded. The names of encrypted files are random, so they are only counted. */
function lineOf(language: string, { encrypted }: Share, { isZip, isHandedOut, file, total }: Downloaded): string {
  const name = isZip ? placeholderFor(language, 'allFiles') : encrypted ? countedShareText(language, 'files', total) : (file ?? '…')
  return isHandedOut ? handedOutText(language, name) : name
}

/**
 * Turns off the emails about downloads of the share that a token from an email names.
 * @throws {AppError} invalid_token: it was not signed by this installation, or the share was deleted
 */
export async function turnOffNotices({ db, sealer }: Pick<Context, 'db' | 'sealer'>, token: string): Promise<void> {
  const uid = verifyValue(sealer, binding, token)
  if (uid === null || !(await turnNoticesOff(db, uid))) throw new AppError('invalid_token')
}
