import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { hashToken } from '../../crypto/tokens.ts'
import type { Caller } from '../../http/guards.ts'
import { logAccess } from '../../http/security-events.ts'
import { apiTokenPrefix, readApiToken, scopesOf, touchApiToken } from '../api-tokens/queries.ts'
import { bearerToken, readAccessToken } from './access-token.ts'
import { type CurrentSession, readSession, touchSession } from './queries.ts'

const touchEvery = 60_000 // milliseconds

type RightFields = 'isAdmin' | 'hasSecondFactor' | 'requiresSecondFactor'

/**
 * Registers `app.identify`, which finds the caller of a request by its API token or access token.
 * Each call reads the row of the token or session, so that ending either takes effect at once.
 */
export function identifyCallers(app: FastifyInstance, ctx: Pick<Context, 'db' | 'env' | 'reader' | 'now' | 'log'>): void {
  app.decorate('identify', (request: FastifyRequest): Promise<Caller | null> => {
    const bearer = bearerToken(request)
    return bearer?.startsWith(apiTokenPrefix) ? byApiToken(bearer) : bySession(request)
  })

  async function bySession(request: FastifyRequest): Promise<Caller | null> {
    const now = ctx.now()
    const claims = readAccessToken(request, now)
    if (!claims) return null
    const session = await readSession(ctx.reader, claims.sid, claims.sub, now)
    if (!session) return null
    const { userId, username, emailVerified, createdAt, lastUsedAt } = session
    if (isDue(lastUsedAt, now)) recordUse(touchSession(ctx.db, claims.sid, now, touchEvery))
    const expiresAt = new Date(claims.exp * 1000)
    return {
      userId,
      username,
      emailVerified,
      ...adminRight(session),
      sessionId: claims.sid,
      signedInAt: createdAt,
      scopes: null,
      expiresAt,
    }
  }

  /** The caller has its user's current rights, limited to the token's scopes. */
  async function byApiToken(token: string): Promise<Caller | null> {
    const now = ctx.now()
    const row = await readApiToken(ctx.reader, hashToken(token), now)
    if (!row) {
      logAccess(ctx, 'sign_in_failed', { userId: null, method: 'api_token' })
      return null
    }
    const { id, userId, username, emailVerified, expiresAt, lastUsedAt } = row
    const scopes = scopesOf(row.scopes)
    if (isDue(lastUsedAt, now)) recordUse(touchApiToken(ctx.db, id, now, touchEvery))
    const right = adminRight({ ...row, isAdmin: row.isAdmin && scopes.includes('admin') })
    return { userId, username, emailVerified, ...right, sessionId: null, signedInAt: null, scopes, expiresAt }
  }

  /** An administrator without a required second factor has no administrator rights. */
  function adminRight({ isAdmin, hasSecondFactor, requiresSecondFactor }: Pick<CurrentSession, RightFields>) {
    const isRequired = ctx.env.settings['general.requireAdminSecondFactor'] ?? requiresSecondFactor
    const needsSecondFactor = isAdmin && !hasSecondFactor && isRequired
    return { isAdmin: isAdmin && !needsSecondFactor, needsSecondFactor }
  }

  /** Doesn't delay the request. */
  function recordUse(update: Promise<void>): void {
    update.catch((err) => ctx.log.warn({ err }, 'last use of a session or token not recorded'))
  }
}

function isDue(lastUsedAt: Date | null, now: Date): boolean {
  return lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= touchEvery
}
