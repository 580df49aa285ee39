import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { signedIn, userOf } from '../http/guards.ts'
import { endpoints } from '../http/route.ts'
import { confirm } from '../users/confirm.ts'
import { logEvent } from '../users/events.ts'
import { userById } from '../users/queries.ts'
import { createApiToken, listApiTokens, removeApiToken } from './api-tokens/api-tokens.ts'
import { authContract } from './contract.ts'
import { endOtherSessions, endSessionOf, sessionsOf } from './sessions/queries.ts'
import { sessionIdOf } from './sessions/sessions.ts'
import { beginTotpSetup, disableTotp, newRecoveryCodes, verifyTotp } from './totp/account.ts'
import { countRecoveryCodes } from './totp/recovery-codes.ts'

/** Registers the routes with which users manage their sign-in methods. They refuse API tokens. */
export function accountRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, authContract)
  const own = { onRequest: signedIn('session') }
  sessionRoutes(app, ctx)

  on('GET /api/auth/totp', own, async (request) => {
    const { userId } = userOf(request)
    const [user, recoveryCodesLeft] = await Promise.all([userById(ctx.db, userId), countRecoveryCodes(ctx.db, userId)])
    return { totpVerified: user?.totpVerified ?? false, recoveryCodesLeft }
  })

  on('POST /api/auth/totp/enable', own, (request) => beginTotpSetup(ctx, userOf(request), request.body?.password))

  on('POST /api/auth/totp/verify', own, async (request) => ({ recoveryCodes: await verifyTotp(ctx, userOf(request), request.body) }))

  on('POST /api/auth/totp/recoveryCodes', own, async (request) => ({
    recoveryCodes: await newRecoveryCodes(ctx, userOf(request), request.body),
  }))

  on('POST /api/auth/totp/disable', own, async (request) => {
    await disableTotp(ctx, userOf(request), request.body)
    return true
  })

  on('GET /api/auth/tokens', own, (request) => listApiTokens(ctx, userOf(request)))

  on('POST /api/auth/tokens', own, (request) => createApiToken(ctx, userOf(request), request.body))

  on('DELETE /api/auth/tokens/:id', own, (request) => removeApiToken(ctx, userOf(request), request.params.id))
}

function sessionRoutes(app: FastifyInstance, ctx: Context): void {
  const on = endpoints(app, authContract)
  const own = { onRequest: signedIn('session') }

  on('GET /api/auth/sessions', own, async (request) => {
    const { userId, sessionId } = userOf(request)
    return (await sessionsOf(ctx.db, userId, ctx.now())).map(({ id, userAgent, address, createdAt, lastUsedAt, expiresAt }) => ({
      id,
      device: userAgent,
      address,
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      current: id === sessionId,
    }))
  })

  on('DELETE /api/auth/sessions', own, async (request) => {
    const caller = userOf(request)
    const { userId } = caller
    await confirm(ctx, caller, request.body?.password)
    await endOtherSessions(ctx.db, userId, sessionIdOf(caller))
    logEvent(ctx, 'session_revoked', { userId, by: userId })
  })

  on('DELETE /api/auth/sessions/:id', own, async (request) => {
    const caller = userOf(request)
    const { userId, sessionId } = caller
    if (request.params.id !== sessionId) await confirm(ctx, caller, request.body?.password)
    if (!(await endSessionOf(ctx.db, userId, request.params.id))) throw new AppError('not_found')
    logEvent(ctx, 'session_revoked', { userId, by: userId })
  })
}
