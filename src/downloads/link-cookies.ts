import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookiePath } from '../http/base-path.ts'
import { isSecure } from '../http/https-site.ts'

const maxCookies = 10
/** Cookies that one response clears at most, so that its headers stay short enough for proxies. */
const maxClearedCookies = 10

/** A cookie that a browser keeps for one link: its unlock token, or its recipient's device token. */
export type LinkCookie = 'token' | 'device'

interface NewCookie {
  /** The id of the link. */
  id: string
  kind: LinkCookie
  token: string
  /** Seconds; undefined: until the browser closes. */
  maxAge?: number
  /** Returns a number that is higher for newer tokens; NaN for one that isn't a token. */
  orderOf(token: string): number
}

/** Returns the request's cookie of this kind for the link `id`. */
export function linkCookie({ cookies }: FastifyRequest, id: string, kind: LinkCookie): string | undefined {
  return cookies[cookieName(id, kind)]
}

/** Sets a cookie for a link, and clears the oldest of its kind so that ten remain. */
export function setLinkCookie(request: FastifyRequest, reply: FastifyReply, { id, kind, token, maxAge, orderOf }: NewCookie): void {
  const attributes = { path: cookiePath(request, '/'), httpOnly: true, sameSite: 'lax', secure: isSecure(request) } as const
  const { serializeCookie } = request.server
  const name = cookieName(id, kind)
  const pattern = new RegExp(`^${cookieName('[A-Za-z0-9_-]+', kind)}$`)
  const others = Object.entries(request.cookies)
    .filter(([other]) => pattern.test(other) && other !== name)
    .map(([other, value = '']) => ({ name: other, order: orderOf(value) || 0 }))
    .sort((a, b) => b.order - a.order)
  // Sets the header directly: reply.setCookie waits for a hook that responses with bytes bypass.
  reply.header('set-cookie', serializeCookie(name, token, { ...attributes, ...(maxAge !== undefined && { maxAge }) }))
  for (const { name } of others.slice(maxCookies - 1, maxCookies - 1 + maxClearedCookies))
    reply.header('set-cookie', serializeCookie(name, '', { ...attributes, maxAge: 0 }))
}

function cookieName(id: string, kind: LinkCookie): string {
  return `share_${id}_${kind}`
}
