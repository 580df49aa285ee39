import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Only the call that needs the refresh token is sent it. */
const refreshPath = '/api/auth/token'

/** `secure` exactly when the request came by https: behind a proxy that is trusted, by its X-Forwarded-Proto. */
function access({ protocol }: FastifyRequest): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: protocol === 'https' }
}

function refresh({ protocol }: FastifyRequest): CookieSerializeOptions {
  return { path: refreshPath, httpOnly: true, sameSite: 'strict', secure: protocol === 'https' }
}

/** A token and the life of its cookie in seconds. */
interface CookieToken {
  token: string
  maxAge: number
}

export function setAccessCookie(reply: FastifyReply, { token, maxAge }: CookieToken): void {
  reply.setCookie('access_token', token, { ...access(reply.request), maxAge })
}

export function setRefreshCookie(reply: FastifyReply, { token, maxAge }: CookieToken): void {
  reply.setCookie('refresh_token', token, { ...refresh(reply.request), maxAge })
}

/** Signs the browser out, as far as it knows. */
export function clearSessionCookies(reply: FastifyReply): void {
  reply.clearCookie('access_token', access(reply.request)).clearCookie('refresh_token', refresh(reply.request))
}
