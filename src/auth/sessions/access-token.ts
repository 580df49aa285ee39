import jwt from '@fastify/jwt'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { accessTokenLifetime } from '../limits.ts'
import { accessCookieOf } from './session-cookies.ts'

/** What an access token says (RFC 7519; times in seconds). The session row has the last word on all of it. */
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

/** Lets `app` sign and read access tokens: HS256 under a key of their own. */
export async function registerAccessTokens(app: FastifyInstance, { sealer }: Pick<Context, 'sealer'>): Promise<void> {
  await app.register(jwt, {
    secret: sealer.key('access tokens'),
    sign: { algorithm: 'HS256' },
    verify: { algorithms: ['HS256'], ignoreExpiration: true }, // readAccessToken looks at it, by the context's clock
  })
}

/** A token for one session, good for 15 minutes. */
export function newAccessToken(app: FastifyInstance, session: Pick<Claims, 'sub' | 'sid' | 'isAdmin'>, now: Date) {
  const iat = Math.floor(now.getTime() / 1000)
  const exp = iat + accessTokenLifetime
  return { accessToken: app.jwt.sign({ ...session, iat, exp }), expiresAt: new Date(exp * 1000) }
}

/** The claims of the request's access token, from the bearer header or else the cookie; null when there is none or it is not ours or over. */
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

/** What the Authorization header holds (RFC 6750). */
export function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
}
