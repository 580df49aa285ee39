import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Recording } from '../activity/recorder.ts'
import { readSettings } from '../config/service.ts'
import type { Context } from '../context.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { refusedField } from '../http/error-handler.ts'
import { callerOf } from '../http/guards.ts'
import { consumeHash } from '../http/hash-attempts.ts'
import { addressKey } from '../http/networks.ts'
import { withMails } from '../mail/allowance.ts'
import { NewShare } from './contract.ts'
import { setOwnerCookie } from './owner.ts'
import type { Share } from './queries.ts'
import { recordClosed, recordSent } from './reverse/activity.ts'
import { anyReverseShare } from './reverse/queries.ts'
import { reverseShareOf } from './reverse/reverse-share.ts'
import { create } from './service.ts'
import { requireVerifiedEmail } from './verified-email.ts'

type CreateContext = Pick<Context, 'db' | 'env' | 'limiters' | 'now' | 'queue' | 'sealer'> & Recording

/**
 * Returns a hook that refuses visitors before their body is read, if they can't create any share:
 * shares without an account are turned off, and there is no reverse share that the body could name.
 * The hook throws `unauthenticated_shares_disabled`.
 */
export function creationGuard(ctx: Pick<Context, 'db' | 'env'>) {
  return async (request: FastifyRequest): Promise<void> => {
    if (await callerOf(request)) return
    const { 'share.allowUnauthenticatedShares': isAllowed } = await readSettings(ctx)
    if (!isAllowed && !(await anyReverseShare(ctx.db))) throw new AppError('unauthenticated_shares_disabled')
  }
}

/** Creates a share like `createShareRow`, and sets the owner cookie for an anonymous creator. */
export async function createShare(
  ctx: CreateContext,
  request: FastifyRequest,
  reply: FastifyReply,
  input: NewShare,
): Promise<{ share: Share; ownerToken?: string }> {
  const created = await createShareRow(ctx, request, input)
  if (created.ownerToken) setOwnerCookie(ctx, request, reply, created.share, created.ownerToken)
  return created
}

/**
 * Creates a share for the caller, through a reverse share if the request names one.
 * @throws {AppError} the errors of `create` and `reverseShareOf`
 * @throws {AppError} email_not_verified: except through a reverse share without recipients, as
 *   visitors can
 * @throws {AppError} too_many_requests: the caller has set too many passwords
 * @throws {AppError} too_many_emails: too many recipients in the last hour or day
 */
export async function createShareRow(
  ctx: CreateContext,
  request: FastifyRequest,
  input: NewShare,
): Promise<{ share: Share; ownerToken?: string }> {
  refuseMisplaced(input)
  const [settings, caller] = [await readSettings(ctx), await callerOf(request)]
  const { reverseShareToken } = input
  const reverseShare = reverseShareToken
    ? await recordingClosed(ctx, request, reverseShareToken, () => reverseShareOf(ctx, request, input))
    : await reverseShareOf(ctx, request, input)
  if (!reverseShare || input.recipients?.length) requireVerifiedEmail(settings, caller)
  if (input.security?.password) await consumeHash(ctx, 'share', { userId: caller?.userId, address: request.ip })
  const creator = { ownerId: caller?.userId ?? null, address: addressKey(request.ip), reverseShare }
  const sender = caller ?? { address: request.ip }
  const begin = () => withMails(ctx, sender, input.recipients ?? [], () => create(ctx, settings, creator, input))
  const created = reverseShare ? await recordingClosed(ctx, request, reverseShare.token, begin) : await begin()
  recordSent(ctx, request, 'begun', created.share)
  return created
}

const securityRules = Object.keys(NewShare.properties.security.properties)

/**
 * Refuses rules beside `security` instead of in it. Unknown fields are ignored, but no share may be
 * less protected than its creator believes.
 * @throws {AppError} validation_failed
 */
function refuseMisplaced(input: NewShare): void {
  const misplaced = securityRules.find((rule) => rule in input)
  if (misplaced) throw refusedField(misplaced, 'belongs in security', 'additionalProperties')
}

const closed: ErrorCode[] = ['reverse_share_not_found', 'link_turned_off']

/** Runs `work`, and records for the owner of the upload link that a visitor found it closed. */
async function recordingClosed<T>(ctx: CreateContext, request: FastifyRequest, token: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && closed.includes(error.code)) await recordClosed(ctx, request, token)
    throw error
  }
}
