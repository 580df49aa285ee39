import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { verifyPassword } from '../crypto/passwords.ts'
import { AppError } from '../errors.ts'
import { consumeHash } from '../http/hash-attempts.ts'
import { addressKey } from '../http/networks.ts'
import { consumeAttempt, refundAttempt } from '../http/rate-limit.ts'
import { recordingRefusal } from './counting/events.ts'
import { type Counting, visitOf } from './counting/transfer.ts'
import { findAccess, isOwner, passwordRequired } from './guard.ts'
import type { ShareAccess } from './queries.ts'
import { newUnlock, unlockableLink } from './unlock-token.ts'
import { newVisitor } from './visitor.ts'
import { consumeView } from './visits.ts'

type Unlocking = Context & Pick<Counting, 'recorder'>

/** Wrong passwords of one address for one share. */
const passwordAttempts = { name: 'share-password', attempts: 20, seconds: 300 }

/**
 * Unlocks a share: checks the password, counts one view unless the caller owns the share, and returns
 * the unlock token.
 *
 * @throws the errors of `findAccess` and `consumeView`
 * @throws {AppError} share_password_required
 * @throws {AppError} wrong_password
 * @throws {AppError} too_many_requests: 20 wrong passwords of one address in five minutes
 */
export async function unlockShare(ctx: Unlocking, request: FastifyRequest, id: string, password: string): Promise<string> {
  const access = await findAccess(ctx, request, id)
  const byOwner = await isOwner(request, access)
  await recordingRefusal(ctx, request, { access, by: 'public' }, async () => {
    if (access.passwordHash !== null) await checkPassword(ctx, request.ip, access, password)
    if (!byOwner) await consumeView(ctx, request, access)
  })
  const visitor = newVisitor()
  if (!byOwner) ctx.recorder.event({ ...visitOf(ctx, request, { access, by: 'token', visitor }), kind: 'opened' })
  return newUnlock(ctx, unlockableLink(access), visitor)
}

async function checkPassword(ctx: Context, address: string, access: ShareAccess, password: string): Promise<void> {
  const { linkUid, passwordHash } = access
  if (password === '') throw passwordRequired(access)
  const attemptKey = `${linkUid}:${addressKey(address)}`
  await consumeAttempt(ctx, passwordAttempts, attemptKey)
  await consumeHash(ctx, 'share', { address })
  if (!(await verifyPassword(password, passwordHash, 'share'))) throw new AppError('wrong_password')
  await refundAttempt(ctx, passwordAttempts, attemptKey)
}
