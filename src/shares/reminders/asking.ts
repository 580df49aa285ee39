import type { FastifyRequest } from 'fastify'
import { readSettings } from '../../config/service.ts'
import type { Settings } from '../../config/settings.ts'
import type { Context } from '../../context.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { callerOf } from '../../http/guards.ts'
import { consumeProbe, refuseProbers } from '../../http/probes.ts'
import { withMails } from '../../mail/allowance.ts'
import { languageOf } from '../../mail/languages.ts'
import { mailedUrl } from '../../mail/mailed-url.ts'
import { enqueueWrittenMails, storeMail } from '../../mail/service.ts'
import { renderFixed } from '../../mail/templates.ts'
import { expiredRefusal, type Grace, keptUntil } from '../deletion/grace.ts'
import { ownerOf, type Share, titledShare } from '../queries.ts'
import { describedShare } from '../recipients/described-share.ts'
import { claimRequest } from './queries.ts'

/** Minimum milliseconds between two emails about one share. */
const interval = 86_400_000

type AskContext = Pick<Context, 'db' | 'env' | 'limiters' | 'now' | 'queue' | 'sealer'>

/**
 * Emails the user who can reopen an expired share that a visitor asks for it, at most once a day.
 * The visitor can't tell whether an email was sent.
 * @throws {AppError} share_not_found: it is missing, private, or can't be reopened
 * @throws {AppError} smtp_disabled
 * @throws {AppError} too_many_emails, too_many_requests: with `retryAfter` in seconds
 */
export async function askToReopen(ctx: AskContext, request: FastifyRequest, id: string): Promise<void> {
  await refuseProbers(ctx, request)
  if (!(await expiredRefusal(ctx, request, id))) {
    await consumeProbe(ctx, request)
    throw new AppError('share_not_found')
  }
  const settings = await readSettings(ctx)
  if (!settings['smtp.enabled']) throw new AppError('smtp_disabled')
  const sender = (await callerOf(request)) ?? { address: request.ip }
  const grace = { now: ctx.now(), graceDays: settings['share.graceDays'] }
  const mails = await ctx.db.transaction().execute(async (db) => {
    const share = await claimRequest(db, id, grace, new Date(grace.now.getTime() - interval))
    const owner = share && (await ownerOf(db, share.receiverId ?? share.ownerId))
    if (!owner) return []
    return withMails(ctx, sender, [owner.email], async () => [await writeRequest({ ...ctx, db }, settings, { share, owner, grace })])
  })
  await enqueueWrittenMails(ctx, mails)
}

interface Request {
  share: Share
  owner: NonNullable<Awaited<ReturnType<typeof ownerOf>>>
  grace: Grace
}

async function writeRequest(
  ctx: Pick<Context, 'now' | 'sealer'> & { db: Db },
  settings: Settings,
  { share, owner, grace }: Request,
): Promise<string> {
  const { username, email } = owner
  const language = languageOf(settings, owner)
  const { title } = describedShare(language, await titledShare(ctx.db, share.uid), share.size)
  const time = keptUntil(share.expiresAt, grace)
  const text = renderFixed(language, 'reopenRequest', { username, title, time, url: mailedUrl(settings, `/share/${share.id}/edit`) })
  return storeMail(ctx, { kind: 'reopenRequest', to: email, shareId: share.id, ...text })
}
