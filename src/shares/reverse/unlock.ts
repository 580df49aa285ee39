import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { signUntil, verifyUntil } from '../../crypto/signed.ts'
import { cookiePath } from '../../http/base-path.ts'
import { isSecure } from '../../http/https-site.ts'
import type { ReverseShare } from './queries.ts'

const lifetime = 86_400_000 // ms

type UnlockContext = Pick<Context, 'sealer' | 'now'>
type LockedReverseShare = Pick<ReverseShare, 'id' | 'passwordHash'>

/**
 * Sets the cookie with which a sender may use a password-protected reverse share for a day.
 * It is signed for the link and its password, so a new password makes it invalid.
 */
export function setReverseUnlockCookie(
  { sealer, now }: UnlockContext,
  request: FastifyRequest,
  reply: FastifyReply,
  reverse: LockedReverseShare,
): void {
  reply.setCookie(cookieName(reverse), signUntil(sealer, bindingOf(reverse), [], now().getTime() + lifetime), {
    path: cookiePath(request, '/'),
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(request),
  })
}

/**
 * Returns whether a sender may use a reverse share: it has no password, or the sender has entered
 * it.
 */
export function isReverseUnlocked({ sealer, now }: UnlockContext, request: FastifyRequest, reverse: LockedReverseShare): boolean {
  if (reverse.passwordHash === null) return true
  const token = request.cookies[cookieName(reverse)] ?? ''
  return verifyUntil(sealer, bindingOf(reverse), token, now()) !== null
}

function bindingOf({ id, passwordHash }: LockedReverseShare) {
  return { purpose: 'reverse share tokens', prefix: `${id}.${passwordHash}.` } as const
}

function cookieName({ id }: LockedReverseShare): string {
  return `reverse_share_${id}_token`
}
