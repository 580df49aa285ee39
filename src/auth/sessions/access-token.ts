import jwt from '@fastify/jwt'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { accessCookieOf } from '../../http/session-cookies.ts'
import { accessTokenLifetime } from '../limits.ts'

/**
 * The claims of an access token (RFC 7519; times in seconds). The session's row decides whether
 * they still hold.
 */
interface Claims {
  sub: string
  sid: string
  isAdmin: boolean
  iat: number
  exp: number
}
declare module '@fastify/jwt' {
  interface FastifyJWT {
    payload: Claims
    user: Claims
  }
}

/** Registers signing and verification of access tokens: HS256 under their own key. */
export async function registerAccessTokens(app: FastifyInstance, { sealer }: Pick<Context, 'sealer'>): Promise<void> {
  await app.register(jwt, {
    secret: sealer.key('access tokens'),
    sign: { algorithm: 'HS256' },
    verify: { algorithms: ['HS256'], ignoreExpiration: true }, // readAccessToken checks it by the context's clock
  })
}

/** Signs an access token for a session. It expires after 15 minutes. */
export function newAccessToken(app: FastifyInstance, session: Pick<Claims, 'sub' | 'sid' | 'isAdmin'>, now: Date) {
  const iat = Math.floor(now.getTime() / 1000)
  const exp = iat + accessTokenLifetime
  return { accessToken: app.jwt.sign({ ...session, iat, exp }), expiresAt: new Date(exp * 1000) }
}

/**
 * Returns the claims of a request's bearer token, or else of its cookie; null when it is missing,
 * forged or expired.
 */
export function readAccessToken(request: FastifyRequest, now: Date): Claims | null {
  const token = bearerToken(request) ?? accessCookieOf(request)
  if (!token) return null
  try {
    const claims = request.server.jwt.verify<Claims>(token)
    return claims.exp * 1000 > now.getTime() ? claims : null
  } catch {
    return null
  }
}

/** Returns the bearer token of the Authorization header (RFC 6750). */
export function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
}
