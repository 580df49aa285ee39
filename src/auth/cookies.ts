import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { accessTokenLife } from './limits.ts'
import type { Refresh } from './sessions.ts'

/** Only the call that needs the refresh token is sent it. */
const refreshPath = '/api/auth/token'

/** `secure` exactly when the request came by https: behind a proxy that is trusted, by its X-Forwarded-Proto. */
function access({ protocol }: FastifyRequest): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: protocol === 'https' }
}

function refresh({ protocol }: FastifyRequest): CookieSerializeOptions {
  return { path: refreshPath, httpOnly: true, sameSite: 'strict', secure: protocol === 'https' }
}

export function setAccessCookie(reply: FastifyReply, token: string): void {
  reply.setCookie('access_token', token, { ...access(reply.request), maxAge: accessTokenLife })
}

export function setRefreshCookie(reply: FastifyReply, { token, maxAge }: Refresh): void {
  reply.setCookie('refresh_token', token, { ...refresh(reply.request), maxAge })
}

export function clearCookies(reply: FastifyReply): void {
  reply.clearCookie('access_token', access(reply.request)).clearCookie('refresh_token', refresh(reply.request))
}
