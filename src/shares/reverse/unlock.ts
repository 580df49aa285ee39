import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { isSecure } from '../../http/https-site.ts'
import type { ReverseShare } from './queries.ts'

const lifetime = 86_400_000 // ms

type Sealing = Pick<Context, 'sealer' | 'now'>
type Locked = Pick<ReverseShare, 'id' | 'passwordHash'>

/** Sets the cookie with which the sender may use a reverse share that has a password, for a day: `expires.mac`, HMAC-SHA-256 over link, password and time. */
export function setReverseUnlockCookie(ctx: Sealing, request: FastifyRequest, reply: FastifyReply, reverse: Locked): void {
  const expires = (ctx.now().getTime() + lifetime).toString(36)
  reply.setCookie(cookieOf(reverse), `${expires}.${macOf(ctx, reverse, expires)}`, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(request),
  })
}

/** Whether the sender may use a reverse share: it has no password, or they have given it. */
export function isReverseUnlocked(ctx: Sealing, request: FastifyRequest, reverse: Locked): boolean {
  if (reverse.passwordHash === null) return true
  const [expires = '', mac = ''] = (request.cookies[cookieOf(reverse)] ?? '').split('.')
  const given = Buffer.from(mac)
  const right = Buffer.from(macOf(ctx, reverse, expires))
  return given.length === right.length && timingSafeEqual(given, right) && Number.parseInt(expires, 36) > ctx.now().getTime()
}

function macOf({ sealer }: Sealing, { id, passwordHash }: Locked, expires: string): string {
  return createHmac('sha256', sealer.key('reverse share tokens')).update(`${id}.${passwordHash}.${expires}`).digest('base64url')
}

function cookieOf({ id }: Locked): string {
  return `reverse_share_${id}_token`
}
