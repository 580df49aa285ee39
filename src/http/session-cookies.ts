import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookiePath, cookiePrefix } from './base-path.ts'
import { isSecure } from './https-site.ts'

// Over https, each cookie also has a name with a prefix that browsers protect (RFC 6265bis, 4.1.3),
// so that a neighboring host can't plant one. It wins over the plain name, which clients of Pingvin
// Share use. The refresh token can't be `__Host-`, which requires the path `/`, because only one
// call should receive it.
const access = { name: 'access_token', path: '/', sameSite: 'lax' } as const
const refresh = { name: 'refresh_token', path: '/api/auth/token', sameSite: 'strict' } as const
type SessionCookie = typeof access | typeof refresh

/** A token and the lifetime of its cookie in seconds. */
interface CookieToken {
  token: string
  maxAge: number
}

/** Sets the cookie with the access token. */
export function setAccessCookie(reply: FastifyReply, token: CookieToken): void {
  set(reply, access, token)
}

/** Sets the cookie with the refresh token. */
export function setRefreshCookie(reply: FastifyReply, token: CookieToken): void {
  set(reply, refresh, token)
}

/** Returns the access token in a request's cookies. */
export function accessCookieOf(request: FastifyRequest): string | undefined {
  return request.cookies[secureNameOf(request, access)] ?? request.cookies[access.name]
}

/** Returns the refresh token in a request's cookies. */
export function refreshCookieOf(request: FastifyRequest): string | undefined {
  return request.cookies[secureNameOf(request, refresh)] ?? request.cookies[refresh.name]
}

/** Removes the session's cookies from the browser, under all of their names. */
export function clearSessionCookies(reply: FastifyReply): void {
  for (const cookie of [access, refresh]) {
    for (const name of namesFor(reply, cookie)) reply.clearCookie(name, optionsFor(reply, cookie))
  }
}

function set(reply: FastifyReply, cookie: SessionCookie, { token, maxAge }: CookieToken): void {
  for (const name of namesFor(reply, cookie)) reply.setCookie(name, token, { ...optionsFor(reply, cookie), maxAge })
}

function namesFor({ request }: FastifyReply, cookie: SessionCookie): string[] {
  return isSecure(request) ? [secureNameOf(request, cookie), cookie.name] : [cookie.name]
}

function secureNameOf(request: FastifyRequest, { name, path }: SessionCookie): string {
  return (path === '/' ? cookiePrefix(request) : '__Secure-') + name
}

function optionsFor({ request }: FastifyReply, { path, sameSite }: SessionCookie): CookieSerializeOptions {
  return { path: cookiePath(request, path), httpOnly: true, sameSite, secure: isSecure(request) }
}
