import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { type Caller, callerOf } from '../http/guards.ts'
import { endpoints } from '../http/route.ts'
import { logAccess } from '../http/security-events.ts'
import { clearSessionCookies, refreshCookieOf } from '../http/session-cookies.ts'
import { toUserDTO } from '../users/service.ts'
import { verifyEmail } from '../users/verification.ts'
import { accountRoutes } from './account-routes.ts'
import { authContract } from './contract.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { passwordRoutes } from './passwords/routes.ts'
import { signIn, signUp } from './service.ts'
import { endSession } from './sessions/queries.ts'
import { refreshSession } from './sessions/sessions.ts'
import { deviceOf, tokenIssuer } from './sessions/tokens.ts'
import { signInWithTotp } from './totp/second-factor.ts'

// `storage` stays, because it holds the journals of interrupted uploads and the service worker.
// `cookies` stay, because they hold the language, the color scheme and the shares created without
// an account. Clearing cookies would also affect neighboring hosts.
const clearedAtSignOut = '"cache"'

/**
 * Returns the URL at which the browser ends its session with the provider of a social login, if
 * there is one.
 */
type ProviderSignOut = (caller: Caller, request: FastifyRequest, reply: FastifyReply) => Promise<string | undefined>

/** Registers the routes for signing up, in and out, and for users' sign-in methods. */
export function authRoutes(app: FastifyInstance, ctx: Context, providerSignOut: ProviderSignOut): void {
  const on = endpoints(app, authContract)
  const { issueTokens, issueAccessToken } = tokenIssuer(app, ctx)
  passwordRoutes(app, ctx)
  passkeyRoutes(app, ctx)
  accountRoutes(app, ctx)

  on('POST /api/auth/signUp', {}, async (request, reply) => {
    const { user, ...started } = await signUp(ctx, request.body, deviceOf(request))
    return { ...issueTokens(reply, started), user: toUserDTO(user) }
  })

  on('POST /api/auth/verifyEmail', {}, (request) => verifyEmail(ctx, request.body.token))

  on('POST /api/auth/signIn', {}, async (request, reply) => {
    const next = await signIn(ctx, request.body, deviceOf(request))
    return 'session' in next ? issueTokens(reply, next) : { ...next, expiresAt: next.expiresAt.toISOString() }
  })

  on('POST /api/auth/signIn/totp', {}, async (request, reply) =>
    issueTokens(reply, await signInWithTotp(ctx, request.body, deviceOf(request))),
  )

  on('POST /api/auth/token', {}, async (request, reply) => {
    const token = refreshCookieOf(request)
    if (!token) throw new AppError('unauthorized')
    try {
      const { session, refresh } = await refreshSession(ctx, token)
      return issueAccessToken(reply, session, refresh)
    } catch (error) {
      if (error instanceof AppError && error.statusCode === 401) clearSessionCookies(reply)
      throw error
    }
  })

  on('POST /api/auth/signOut', {}, async (request, reply) => {
    const caller = await callerOf(request)
    if (caller?.sessionId) {
      await endSession(ctx.db, caller.sessionId)
      logAccess(ctx, 'sign_out', { userId: caller.userId })
    }
    clearSessionCookies(reply)
    reply.header('clear-site-data', clearedAtSignOut)
    const redirectURI = caller ? await providerSignOut(caller, request, reply) : undefined
    return redirectURI === undefined ? {} : { redirectURI }
  })
}
