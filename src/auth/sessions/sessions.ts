import { randomUUID } from 'node:crypto'
import { readSettings, type SettingsSource } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { hashToken, tokenMatches } from '../../crypto/tokens.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import { logEvent } from '../../users/events.ts'
import type { User } from '../../users/queries.ts'
import { refreshGrace } from '../limits.ts'
import { endSession, insertSession, rotateToken, type SessionLimits, sessionById } from './queries.ts'
import { newRefreshToken, sessionOfToken } from './refresh-token.ts'

/** Where a session is used from, for its owner to recognise. */
export interface Device {
  address: string
  userAgent: string | null
  /** Whether it is the server's own machine. */
  isLocal: boolean
  /** What the device keeps of an earlier sign-in, as it sent it: see `knownDevice`. */
  keptToken?: string
}

/** A session as its tokens are made from it. */
export interface Session {
  id: string
  userId: string
  isAdmin: boolean
}

/** The refresh token and the life of its cookie in seconds. */
export interface Refresh {
  token: string
  maxAge: number
}

type SessionContext = Pick<Context, 'db' | 'env' | 'sealer' | 'now' | 'log'>

/** What a session is started for: a user as they were when they proved who they are. */
type SessionUser = Pick<User, 'id' | 'isAdmin' | 'credentialVersion'>
export interface StartedSession {
  session: Session
  refresh: Refresh
}

/** Signs a user in on a device. Throws `session_ended` when a password or a second factor of theirs has changed since `user` was read. */
export async function startSession(
  ctx: Pick<SessionContext, 'env' | 'sealer' | 'now'> & { db: Db },
  user: SessionUser,
  device: Device,
): Promise<StartedSession> {
  const id = randomUUID()
  const token = newRefreshToken(ctx.sealer, id)
  const now = ctx.now()
  const { duration, idle } = await sessionLimits(ctx)
  const maxAge = Math.min(duration, idle)
  const row = {
    id,
    address: device.address,
    userAgent: device.userAgent,
    userId: user.id,
    tokenHash: hashToken(token),
    previousTokenHash: null,
    createdAt: now,
    rotatedAt: now,
    lastUsedAt: now,
    expiresAt: after(now, maxAge),
  }
  if (!(await insertSession(ctx.db, row, user.credentialVersion))) throw new AppError('session_ended')
  return { session: { id, userId: user.id, isAdmin: user.isAdmin }, refresh: { token, maxAge } }
}

/**
 * Takes a refresh token and gives the session its next one. Of tabs that come with the same token at the same time one gets it; for 30 s the others get
 * null and live on. Any older token was stolen, or is used by a thief's victim: the session ends. It also ends when it is past a limit as
 * the settings are now. Throws `unauthorized` or `session_ended`.
 */
export async function refreshSession(ctx: SessionContext, token: string): Promise<{ session: Session; refresh: Refresh | null }> {
  const id = sessionOfToken(ctx.sealer, token)
  if (!id) throw new AppError('unauthorized')
  const now = ctx.now()
  const next = newRefreshToken(ctx.sealer, id)
  const limits = await sessionLimits(ctx)
  const hashes = { tokenHash: hashToken(token), nextHash: hashToken(next) }
  const session = await rotateToken(ctx.db, { id, ...hashes, now, limits })
  if (session) return { session, refresh: { token: next, maxAge: Math.round((session.expiresAt.getTime() - now.getTime()) / 1000) } }
  return { session: await sessionInGrace(ctx, id, token, now), refresh: null }
}

async function sessionInGrace(ctx: SessionContext, id: string, token: string, now: Date): Promise<Session> {
  const session = await sessionById(ctx.db, id, now)
  if (!session) throw new AppError('session_ended')
  const { previousTokenHash, rotatedAt } = session
  if (previousTokenHash && tokenMatches(token, previousTokenHash) && now < after(rotatedAt, refreshGrace)) return session
  await endSession(ctx.db, id)
  if (tokenMatches(token, session.tokenHash)) throw new AppError('session_ended') // it was past a limit
  logEvent(ctx, 'session_revoked', { userId: session.userId, by: null, how: 'token_reuse' })
  ctx.log.warn({ sessionId: id, userId: session.userId }, 'an old refresh token was used again; its session was ended')
  throw new AppError('session_ended')
}

async function sessionLimits(source: SettingsSource): Promise<SessionLimits> {
  const settings = await readSettings(source)
  return { duration: settings['general.sessionDuration'] * 3600, idle: settings['general.sessionIdleTimeout'] * 3600 }
}

function after(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1000)
}
