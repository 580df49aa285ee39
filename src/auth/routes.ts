import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { callerOf } from '../http/guards.ts'
import { endpoints } from '../http/route.ts'
import { toUserDTO } from '../users/service.ts'
import { newAccessToken } from './access-token.ts'
import { authContract } from './contract.ts'
import { clearCookies, setAccessCookie, setRefreshCookie } from './cookies.ts'
import { endSession } from './queries.ts'
import { signIn, signUp } from './service.ts'
import { type Device, type Refresh, refreshSession, type Session } from './sessions.ts'

const userAgentMax = 512 // characters kept

export function authRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, authContract)

  on('POST /api/auth/signUp', {}, async (request, reply) => {
    const { user, session, refresh } = await signUp(ctx, request.body, deviceOf(request))
    return { ...giveTokens(reply, session, refresh), refreshToken: refresh.token, user: toUserDTO(user) }
  })

  on('POST /api/auth/signIn', {}, async (request, reply) => {
    const { session, refresh } = await signIn(ctx, request.body, deviceOf(request))
    return { ...giveTokens(reply, session, refresh), refreshToken: refresh.token }
  })

  on('POST /api/auth/token', {}, async (request, reply) => {
    const token = request.cookies.refresh_token
    if (!token) throw new AppError('unauthorized')
    try {
      const { session, refresh } = await refreshSession(ctx, token)
      return giveTokens(reply, session, refresh)
    } catch (error) {
      if (error instanceof AppError && error.statusCode === 401) clearCookies(reply)
      throw error
    }
  })

  on('POST /api/auth/signOut', {}, async (request, reply) => {
    const caller = await callerOf(request)
    if (caller?.sessionId) await endSession(ctx.db, caller.sessionId)
    clearCookies(reply)
    return {}
  })

  /** Sets the cookies; answers the access token and when it ends. */
  function giveTokens(reply: FastifyReply, { id, userId, isAdmin }: Session, refresh: Refresh | null) {
    const { accessToken, expiresAt } = newAccessToken(app, { sub: userId, sid: id, isAdmin }, ctx.now())
    setAccessCookie(reply, accessToken)
    if (refresh) setRefreshCookie(reply, refresh)
    return { accessToken, expiresAt: expiresAt.toISOString() }
  }
}

function deviceOf(request: FastifyRequest): Device {
  return { address: request.ip, userAgent: request.headers['user-agent']?.slice(0, userAgentMax) ?? null }
}
