import type { FastifyRequest } from 'fastify'
import { readSettings } from '../../config/service.ts'
import type { Settings } from '../../config/settings.ts'
import type { Context } from '../../context.ts'
import { equalsInConstantTime, macOf } from '../../crypto/signed.ts'
import { newCode } from '../../crypto/tokens.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { addressKey } from '../../http/networks.ts'
import { consumeAllOrNone, consumeAttempt, refundAttempt } from '../../http/rate-limit.ts'
import { deleteWaitingCodes } from '../../mail/queries.ts'
import { enqueueWrittenMails, storeMail } from '../../mail/service.ts'
import { renderFixed } from '../../mail/templates.ts'
import { ownerOf, titledShare } from '../../shares/queries.ts'
import { describedShare } from '../../shares/recipients/described-share.ts'
import { recordingRefusal } from '../counting/events.ts'
import type { Counting } from '../counting/transfer.ts'
import { findLink } from '../guard.ts'
import type { ShareAccess } from '../queries.ts'
import { newDeviceToken } from './device-token.ts'
import { codeInterval, codeMinutes, codeTriesMax } from './limits.ts'
import { consumeTry, deleteUsedCode, recipientOf, replaceCode } from './queries.ts'

// docs/links.md lists these numbers.
const hour = 3_600
const requestsOfAddress = { name: 'code-address', attempts: 60, seconds: hour }
const codesOfLink = [
  { name: 'code-link', attempts: 1, seconds: codeInterval },
  { name: 'code-link-hour', attempts: 5, seconds: hour },
  // Guesses for a year then find a code with a chance of 4 %, instead of 20 %.
  { name: 'code-link-day', attempts: 20, seconds: 24 * hour },
] as const
const codesToRecipient = { name: 'code-recipient', attempts: 30, seconds: hour }
const guessesOfAddress = { name: 'code-guesses', attempts: 100, seconds: 600 }

type Recipient = NonNullable<Awaited<ReturnType<typeof recipientOf>>>

/**
 * Emails a code to the recipient of a link, which replaces an earlier one.
 *
 * @throws the errors of `findLink`
 * @throws {AppError} share_not_found: also for a link that asks for no code
 * @throws {AppError} smtp_disabled
 * @throws {AppError} too_many_requests: `retryAfter` is in seconds
 */
export async function sendCode(
  ctx: Pick<Context, 'db' | 'env' | 'limiters' | 'now' | 'queue' | 'reader' | 'sealer'>,
  request: FastifyRequest,
  id: string,
): Promise<void> {
  const { linkUid } = await findVerifiedLink(ctx, request, id)
  const recipient = await recipientOf(ctx.db, linkUid)
  if (!recipient) throw new AppError('share_not_found')
  const settings = await readSettings(ctx)
  if (!settings['smtp.enabled']) throw new AppError('smtp_disabled')
  await consumeAttempt(ctx, requestsOfAddress, addressKey(request.ip))
  // What other links of the recipient use up must not cost this link its codes of the day.
  await consumeAllOrNone(ctx, [...codesOfLink.map((limit) => [limit, linkUid] as const), [codesToRecipient, recipient.emailKey]])
  const mail = await ctx.db.transaction().execute((db) => writeCode({ ...ctx, db }, settings, linkUid, recipient))
  await enqueueWrittenMails(ctx, [mail], 'first')
}

/** Stores a code and its email. Returns the email's id for `enqueueWrittenMails`. */
async function writeCode(
  ctx: Pick<Context, 'now' | 'sealer'> & { db: Db },
  settings: Settings,
  linkUid: string,
  { email, id: shareId, uid, ownerId, size }: Recipient,
): Promise<string> {
  const code = newCode()
  const expiresAt = new Date(ctx.now().getTime() + codeMinutes * 60_000)
  await replaceCode(ctx.db, { linkUid, codeHash: hashOf(ctx, linkUid, code), expiresAt })
  await deleteWaitingCodes(ctx.db, linkUid)
  const language = settings['general.language']
  const { title } = describedShare(language, await titledShare(ctx.db, uid), size)
  const creator = (await ownerOf(ctx.db, ownerId))?.username ?? null
  const text = renderFixed(language, 'shareCode', { code, title, creator })
  return storeMail(ctx, { kind: 'shareCode', to: email, shareId, linkUid, expiresAt, ...text })
}

/**
 * Checks the code of a link, which works once, and returns a device token.
 *
 * @throws the errors of `findLink`
 * @throws {AppError} share_not_found: also for a link that asks for no code
 * @throws {AppError} wrong_code: with `triesLeft`
 * @throws {AppError} code_expired: it is older than 10 minutes, was used, or was tried five times
 * @throws {AppError} too_many_requests: one address guesses; `retryAfter` is in seconds
 */
export async function verifyCode(ctx: Counting, request: FastifyRequest, id: string, code: string): Promise<string> {
  const access = await findVerifiedLink(ctx, request, id)
  const address = addressKey(request.ip)
  await consumeAttempt(ctx, guessesOfAddress, address)
  await recordingRefusal(ctx, request, { access, by: 'public' }, () => checkCode(ctx, access.linkUid, code))
  await refundAttempt(ctx, guessesOfAddress, address)
  return newDeviceToken(ctx, access)
}

async function checkCode(ctx: Pick<Context, 'db' | 'now' | 'sealer'>, linkUid: string, code: string): Promise<void> {
  const stored = await consumeTry(ctx.db, linkUid, { max: codeTriesMax, now: ctx.now() })
  if (!stored) throw new AppError('code_expired')
  const isRight = equalsInConstantTime(stored.codeHash, hashOf(ctx, linkUid, code))
  if (!isRight) throw new AppError('wrong_code', { triesLeft: codeTriesMax - stored.tries })
  if (!(await deleteUsedCode(ctx.db, linkUid, stored.codeHash))) throw new AppError('code_expired')
}

/** @throws {AppError} share_not_found: the link asks for no code; and the errors of `findLink` */
async function findVerifiedLink(ctx: Parameters<typeof findLink>[0], request: FastifyRequest, id: string): Promise<ShareAccess> {
  const access = await findLink(ctx, request, id)
  if (access.verifiedRecipient === null) throw new AppError('share_not_found')
  return access
}

function hashOf({ sealer }: Pick<Context, 'sealer'>, linkUid: string, code: string): string {
  return macOf(sealer, 'email codes', `${linkUid}.${code}`)
}
