import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { Sealer } from '../crypto/sealed.ts'
import { isSecure } from '../http/https-site.ts'

const lifetime = 30 * 86_400_000 // ms
const keptCookies = 10
/** Cookies cleared by one answer, whose headers stay short for proxies. */
const clearedCookies = 10
const cookieName = /^share_([A-Za-z0-9_-]+)_token$/

/** What an unlock token says: for which making of a share, under which of its passwords, from when until when (ms). */
export interface Unlock {
  uid: string
  passwordVersion: number
  issued: number
  expires: number
}

interface Unlockable {
  id: string
  uid: string
  passwordVersion: number
  expiresAt: Date | null
}

type Sealing = Pick<Context, 'sealer' | 'now'>

const keys = new WeakMap<Sealer, KeyObject>()

/**
 * A token that unlocks one share for 30 days, or until it expires: `uid.passwordVersion.issued.expires.mac`, numbers in base 36, HMAC-SHA-256 over the link
 * and the rest. The uid is new whenever a link is used again, the password's version when the password changes.
 */
export function newUnlock(ctx: Sealing, share: Unlockable): string {
  const issued = ctx.now().getTime()
  const expires = Math.min(issued + lifetime, share.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY)
  const said = [share.uid, ...[share.passwordVersion, issued, expires].map((number) => number.toString(36))].join('.')
  return `${said}.${macOf(ctx.sealer, share.id, said)}`
}

/** What the request's cookie for the share `id` says; null when there is none, it is not ours, or it has ended. Asks no database. */
export function readUnlock(ctx: Sealing, request: FastifyRequest, id: string): Unlock | null {
  const token = request.cookies[`share_${id}_token`]
  if (!token) return null
  const end = token.lastIndexOf('.')
  const said = token.slice(0, end)
  const given = Buffer.from(token.slice(end + 1))
  const right = Buffer.from(macOf(ctx.sealer, id, said))
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null
  const unlock = parse(said)
  return unlock.expires > ctx.now().getTime() ? unlock : null
}

/** Whether the token still fits the share as it is now. */
export function opens({ uid, passwordVersion }: Unlock, share: Pick<Unlockable, 'uid' | 'passwordVersion'>): boolean {
  return uid === share.uid && passwordVersion === share.passwordVersion
}

/** Sets the unlock cookie, which lives as long as the browser's session, and clears the oldest so that ten stay. */
export function setUnlockCookie(request: FastifyRequest, reply: FastifyReply, id: string, token: string): void {
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(request) } as const
  const { serializeCookie } = request.server
  const others = Object.entries(request.cookies)
    .filter(([name]) => cookieName.test(name) && name !== `share_${id}_token`)
    .map(([name, value = '']) => ({ name, issued: parse(value).issued || 0 }))
    .sort((a, b) => b.issued - a.issued)
  // As a header, not by setCookie: that waits for a hook which answers of bytes do not pass.
  reply.header('set-cookie', serializeCookie(`share_${id}_token`, token, attributes))
  for (const { name } of others.slice(keptCookies - 1, keptCookies - 1 + clearedCookies))
    reply.header('set-cookie', serializeCookie(name, '', { ...attributes, maxAge: 0 }))
}

function parse(said: string): Unlock {
  const [uid = '', ...numbers] = said.split('.')
  const [passwordVersion = 0, issued = 0, expires = 0] = numbers.map((text) => Number.parseInt(text, 36))
  return { uid, passwordVersion, issued, expires }
}

function macOf(sealer: Sealer, id: string, said: string): string {
  const key = keys.get(sealer) ?? createSecretKey(sealer.key('share tokens'))
  keys.set(sealer, key)
  return createHmac('sha256', key).update(`${id}.${said}`).digest('base64url')
}
