import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { addressOf } from '../../http/request-address.ts'
import { setAccessCookie, setRefreshCookie } from '../../http/session-cookies.ts'
import { accessTokenLifetime } from '../limits.ts'
import { isLocal } from '../setup-code.ts'
import { newAccessToken } from './access-token.ts'
import { knownDeviceCookieOf, rememberDevice } from './known-devices.ts'
import type { Device, RefreshToken, Session, StartedSession } from './sessions.ts'

const userAgentMax = 512 // characters kept

/** Returns the device that a request comes from. */
export function deviceOf(request: FastifyRequest): Device {
  const deviceToken = knownDeviceCookieOf(request)
  return {
    address: addressOf(request),
    isLocal: isLocal(request),
    userAgent: request.headers['user-agent']?.slice(0, userAgentMax) ?? null,
    ...(deviceToken && { deviceToken }),
  }
}

/**
 * Returns functions that hand out a session's tokens, both as cookies and for the response body.
 */
export function tokenIssuer(app: FastifyInstance, ctx: Pick<Context, 'now' | 'sealer'>) {
  /** Issues both tokens of a new session and marks the device as known to the account. */
  function issueTokens(reply: FastifyReply, { session, refresh }: StartedSession) {
    const tokens = { ...issueAccessToken(reply, session, refresh), refreshToken: refresh.token }
    rememberDevice(ctx.sealer, reply, session.userId)
    return tokens
  }

  /** Issues an access token. The next refresh token, if there is one, is set as a cookie only. */
  function issueAccessToken(reply: FastifyReply, { id, userId, isAdmin }: Session, refresh: RefreshToken | null) {
    const { accessToken, expiresAt } = newAccessToken(app, { sub: userId, sid: id, isAdmin }, ctx.now())
    setAccessCookie(reply, { token: accessToken, maxAge: accessTokenLifetime })
    if (refresh) setRefreshCookie(reply, refresh)
    return { accessToken, expiresAt: expiresAt.toISOString() }
  }
  return { issueTokens, issueAccessToken }
}
