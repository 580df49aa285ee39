import { randomUUID } from 'node:crypto'
import { readSettings, type SettingsSource } from '../../config/service.ts'
import type { Context } from '../../context.ts'
import { hashToken, tokenMatches } from '../../crypto/tokens.ts'
import type { Db } from '../../db/schema.ts'
import { AppError } from '../../errors.ts'
import type { Caller } from '../../http/guards.ts'
import { logEvent } from '../../users/events.ts'
import type { User } from '../../users/queries.ts'
import { refreshGrace } from '../limits.ts'
import { endSession, insertSession, rotateToken, type SessionLimits, sessionById } from './queries.ts'
import { newRefreshToken, sessionOfToken } from './refresh-token.ts'

/** The device that a session is used on, as shown to its user. */
export interface Device {
  address: string
  userAgent: string | null
  /** Whether it is the machine that the server runs on. */
  isLocal: boolean
  /** The unverified token of an earlier sign-in on the device; see `knownDeviceId`. */
  deviceToken?: string
}

/** The content of a session's access token. */
export interface Session {
  id: string
  userId: string
  isAdmin: boolean
}

/** A refresh token and the lifetime of its cookie in seconds. */
export interface RefreshToken {
  token: string
  maxAge: number
}

type SessionContext = Pick<Context, 'db' | 'env' | 'sealer' | 'now' | 'log'>

/** The user as read when the credentials were checked. */
type SessionUser = Pick<User, 'id' | 'isAdmin' | 'credentialVersion'>

export interface StartedSession {
  session: Session
  refresh: RefreshToken
}

/**
 * Signs a user in on a device; `byPasskey` if a passkey was used.
 * @throws {AppError} session_ended: when the user's credentials have changed since `user` was read
 */
export async function startSession(
  ctx: Pick<SessionContext, 'env' | 'sealer' | 'now'> & { db: Db },
  user: SessionUser,
  device: Device,
  { byPasskey = false }: { byPasskey?: boolean } = {},
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
    byPasskey,
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
 * Replaces a session's refresh token. When several tabs send the same token at once, one gets the
 * next; for 30 s the others get null and stay signed in. Reuse of any older token means that it was
 * stolen, so the session ends.
 * @throws {AppError} unauthorized: when the token is forged
 * @throws {AppError} session_ended: when the session has ended, reached a limit, or the token is
 *   reused
 */
export async function refreshSession(ctx: SessionContext, token: string): Promise<{ session: Session; refresh: RefreshToken | null }> {
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

/**
 * Returns the id of the caller's session.
 * @throws {AppError} forbidden: when an API token is calling
 */
export function sessionIdOf({ sessionId }: Caller): string {
  if (sessionId === null) throw new AppError('forbidden')
  return sessionId
}

async function sessionInGrace(ctx: SessionContext, id: string, token: string, now: Date): Promise<Session> {
  const session = await sessionById(ctx.db, id, now)
  if (!session) throw new AppError('session_ended')
  const { previousTokenHash, rotatedAt } = session
  if (previousTokenHash && tokenMatches(token, previousTokenHash) && now < after(rotatedAt, refreshGrace)) return session
  await endSession(ctx.db, id)
  if (tokenMatches(token, session.tokenHash)) throw new AppError('session_ended') // it has reached a limit
  logEvent(ctx, 'session_revoked', { userId: session.userId, by: null, how: 'token_reuse' })
  ctx.log.warn({ sessionId: id, userId: session.userId }, 'refresh token reused; session ended')
  throw new AppError('session_ended')
}

async function sessionLimits(source: SettingsSource): Promise<SessionLimits> {
  const settings = await readSettings(source)
  return { duration: settings['general.sessionDuration'] * 3600, idle: settings['general.sessionIdleTimeout'] * 3600 }
}

function after(date: Date, seconds: number): Date {
  return new Date(date.getTime() + seconds * 1000)
}
