import { type Insertable, sql } from 'kysely'
import { isStoredTrue } from '../../config/queries.ts'
import type { Reader } from '../../db/connect.ts'
import type { Db, SessionTable } from '../../db/schema.ts'

/**
 * Stores a session and returns true, unless the user's credentials have changed since
 * `credentialVersion` was read. It waits for a concurrent change of credentials, so that the change
 * ends every session it should.
 */
export async function insertSession(db: Db, session: Required<Insertable<SessionTable>>, credentialVersion: number): Promise<boolean> {
  const columns = Object.keys(session) as (keyof SessionTable)[]
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('session')
    .columns(columns)
    .expression((eb) =>
      eb
        .selectFrom('user')
        .select(columns.map((column) => eb.val(session[column]).as(column)))
        .where('id', '=', session.userId)
        .where('credentialVersion', '=', credentialVersion)
        .forShare(),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export interface CurrentSession {
  userId: string
  username: string
  isAdmin: boolean
  /** Whether TOTP is on, or a passkey that the user still has started the session. */
  hasSecondFactor: boolean
  /** Whether the stored settings require one of administrators. */
  requiresSecondFactor: boolean
  emailVerified: boolean
  createdAt: Date
  lastUsedAt: Date
}

const currentSession = `
  select s.user_id as "userId", u.username, u.is_admin as "isAdmin", u.email_verified as "emailVerified",
    u.totp_verified or (s.by_passkey and exists (select from passkey p where p.user_id = u.id)) as "hasSecondFactor",
    ${isStoredTrue('general.requireAdminSecondFactor')} as "requiresSecondFactor",
    s.created_at as "createdAt", s.last_used_at as "lastUsedAt"
  from session s join "user" u on u.id = s.user_id
  where s.id = $1 and s.user_id = $2 and s.expires_at > $3`

/**
 * Returns a session that has neither ended nor expired, with its user's current data. Runs for
 * every authenticated request.
 */
export async function readSession(reader: Reader, id: string, userId: string, now: Date): Promise<CurrentSession | undefined> {
  const [session] = await reader.query<CurrentSession>('current-session', currentSession, [id, userId, now])
  return session
}

/** Records when a session was last used, at most once in `everyMs`. */
export async function touchSession(db: Db, id: string, now: Date, everyMs: number): Promise<void> {
  await db
    .updateTable('session')
    .set({ lastUsedAt: now })
    .where('id', '=', id)
    .where('lastUsedAt', '<=', new Date(now.getTime() - everyMs))
    .execute()
}

interface Rotation {
  id: string
  tokenHash: string
  nextHash: string
  now: Date
  limits: SessionLimits
}

/** The maximum duration of a session, in seconds. */
export interface SessionLimits {
  /** Since sign-in. */
  duration: number
  /** Since the last use. */
  idle: number
}

/**
 * Replaces a session's refresh token and returns the session.
 * Returns undefined when `tokenHash` is not the current one or the session has reached a limit.
 * One statement, so only one of two tabs with the same token gets the next one.
 */
export function rotateToken(db: Db, { id, tokenHash, nextHash, now, limits }: Rotation) {
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
  const expiresAt = sql<Date>`least(${sql.ref('session.createdAt')} + make_interval(secs => ${limits.duration}), ${ago(-limits.idle)})`
  return db
    .updateTable('session')
    .from('user')
    .set({ tokenHash: nextHash, previousTokenHash: tokenHash, rotatedAt: now, lastUsedAt: now, expiresAt })
    .whereRef('user.id', '=', 'session.userId')
    .where('session.id', '=', id)
    .where('session.tokenHash', '=', tokenHash)
    .where('session.expiresAt', '>', now)
    .where('session.createdAt', '>', ago(limits.duration))
    .where('session.lastUsedAt', '>', ago(limits.idle))
    .returning(['session.id', 'session.userId', 'user.isAdmin', 'session.expiresAt'])
    .executeTakeFirst()
}

/** Returns a session that has not expired, with the token hashes of its last rotation. */
export function sessionById(db: Db, id: string, now: Date) {
  return db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.userId')
    .select(['session.id', 'session.userId', 'user.isAdmin', 'session.tokenHash', 'session.previousTokenHash', 'session.rotatedAt'])
    .where('session.id', '=', id)
    .where('session.expiresAt', '>', now)
    .executeTakeFirst()
}

/** Records that a session's user has a passkey on its device. */
export async function markByPasskey(db: Db, id: string): Promise<void> {
  await db.updateTable('session').set({ byPasskey: true }).where('id', '=', id).execute()
}

/** Ends a session. */
export async function endSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom('session').where('id', '=', id).execute()
}

/** Returns a user's sessions that have not expired, the last used first. */
export function sessionsOf(db: Db, userId: string, now: Date) {
  return db
    .selectFrom('session')
    .select(['id', 'userAgent', 'address', 'createdAt', 'lastUsedAt', 'expiresAt'])
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .orderBy('lastUsedAt', 'desc')
    .execute()
}

/** Ends a session of this user and returns whether the user had it. */
export async function endSessionOf(db: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('session').where('id', '=', id).where('userId', '=', userId).executeTakeFirst()
  return numDeletedRows === 1n
}

/** Ends all sessions of a user except one. */
export async function endOtherSessions(db: Db, userId: string, id: string): Promise<void> {
  await db.deleteFrom('session').where('userId', '=', userId).where('id', '<>', id).execute()
}
