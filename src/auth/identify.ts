import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { Caller } from '../http/guards.ts'
import { readAccessToken } from './access-token.ts'
import { readSession, touchSession } from './queries.ts'

const touchEvery = 60_000 // milliseconds

/** Tells every guard who is calling: by access token, checked against the session's row at each call, so that what ends a session ends it at once. */
export function identifyCallers(app: FastifyInstance, ctx: Pick<Context, 'db' | 'reader' | 'now' | 'log'>): void {
  app.decorate('identify', async (request: FastifyRequest): Promise<Caller | null> => {
    const now = ctx.now()
    const claims = readAccessToken(request, now)
    if (!claims) return null
    const session = await readSession(ctx.reader, claims.sid, claims.sub, now)
    if (!session) return null
    const { userId, username, isAdmin, lastUsedAt } = session
    if (now.getTime() - lastUsedAt.getTime() >= touchEvery) touch(claims.sid, now)
    return { userId, username, isAdmin, sessionId: claims.sid, scopes: null, expiresAt: new Date(claims.exp * 1000) }
  })

  /** Not in the request's way. */
  function touch(sessionId: string, now: Date): void {
    touchSession(ctx.db, sessionId, now, touchEvery).catch((err) => ctx.log.warn({ err }, "a session's last use was not noted"))
  }
}
