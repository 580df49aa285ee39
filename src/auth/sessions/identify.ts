import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { hashToken } from '../../crypto/tokens.ts'
import type { Caller } from '../../http/guards.ts'
import { logAccess } from '../../http/security-events.ts'
import { apiTokenPrefix, readApiToken, scopesOf, touchApiToken } from '../api-tokens/queries.ts'
import { bearerToken, readAccessToken } from './access-token.ts'
import { readSession, touchSession } from './queries.ts'

const touchEvery = 60_000 // milliseconds

/**
 * Tells every guard who is calling: by API token, or by access token, which is checked against the session's row. Rows are asked at each call, so that
 * what ends a session or a token ends it at once.
 */
export function identifyCallers(app: FastifyInstance, ctx: Pick<Context, 'db' | 'reader' | 'now' | 'log'>): void {
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
    const { userId, username, isAdmin, createdAt, lastUsedAt } = session
    if (isDue(lastUsedAt, now)) note(touchSession(ctx.db, claims.sid, now, touchEvery))
    const expiresAt = new Date(claims.exp * 1000)
    return { userId, username, isAdmin, sessionId: claims.sid, signedInAt: createdAt, scopes: null, expiresAt }
  }

  /** Its user's rights of now, cut down to its scopes. */
  async function byApiToken(token: string): Promise<Caller | null> {
    const now = ctx.now()
    const row = await readApiToken(ctx.reader, hashToken(token), now)
    if (!row) {
      logAccess(ctx, 'sign_in_failed', { userId: null, method: 'api_token' })
      return null
    }
    const { id, userId, username, expiresAt, lastUsedAt } = row
    const scopes = scopesOf(row.scopes)
    if (isDue(lastUsedAt, now)) note(touchApiToken(ctx.db, id, now, touchEvery))
    return { userId, username, isAdmin: row.isAdmin && scopes.includes('admin'), sessionId: null, signedInAt: null, scopes, expiresAt }
  }

  /** Not in the request's way. */
  function note(touching: Promise<void>): void {
    touching.catch((err) => ctx.log.warn({ err }, 'the last use of a session or token was not noted'))
  }
}

function isDue(lastUsedAt: Date | null, now: Date): boolean {
  return lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= touchEvery
}
