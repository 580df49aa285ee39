import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { addressOf } from '../../http/request-address.ts'
import { accessTokenLifetime } from '../limits.ts'
import { isLocal } from '../setup-code.ts'
import { newAccessToken } from './access-token.ts'
import { keptDeviceToken, rememberDevice } from './known-devices.ts'
import { setAccessCookie, setRefreshCookie } from './session-cookies.ts'
import type { Device, Refresh, Session, StartedSession } from './sessions.ts'

const userAgentMax = 512 // characters kept

/** Where a request comes from. */
export function deviceOf(request: FastifyRequest): Device {
  const keptToken = keptDeviceToken(request)
  return {
    address: addressOf(request),
    isLocal: isLocal(request),
    userAgent: request.headers['user-agent']?.slice(0, userAgentMax) ?? null,
    ...(keptToken && { keptToken }),
  }
}

/** Gives a session's tokens to whoever has just proved that it is theirs: as cookies, and for the answer. */
export function tokenIssuer(app: FastifyInstance, ctx: Pick<Context, 'now' | 'sealer'>) {
  /** Of a session that began: both tokens. The device is known to the account from now on. */
  function giveTokens(reply: FastifyReply, { session, refresh }: StartedSession) {
    const tokens = { ...giveAccess(reply, session, refresh), refreshToken: refresh.token }
    rememberDevice(ctx.sealer, reply, session.userId)
    return tokens
  }

  /** The access token and when it ends; the next refresh token, where there is one, as cookie only. */
  function giveAccess(reply: FastifyReply, { id, userId, isAdmin }: Session, refresh: Refresh | null) {
    const { accessToken, expiresAt } = newAccessToken(app, { sub: userId, sid: id, isAdmin }, ctx.now())
    setAccessCookie(reply, { token: accessToken, maxAge: accessTokenLifetime })
    if (refresh) setRefreshCookie(reply, refresh)
    return { accessToken, expiresAt: expiresAt.toISOString() }
  }
  return { giveTokens, giveAccess }
}
