import { type Insertable, sql } from 'kysely'
import type { Reader } from '../../db/connect.ts'
import type { Db, SessionTable } from '../../db/schema.ts'

/**
 * Stores a session, unless how its user signs in has changed since `credentialVersion` was read; false when so. It waits for a change that is under way,
 * so that none misses it.
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
  createdAt: Date
  lastUsedAt: Date
}

const currentSession = `
  select s.user_id as "userId", u.username, u.is_admin as "isAdmin", s.created_at as "createdAt", s.last_used_at as "lastUsedAt"
  from session s join "user" u on u.id = s.user_id
  where s.id = $1 and s.user_id = $2 and s.expires_at > $3`

/** A session that has neither ended nor run out, with its user as the user is now. Asked at every call. */
export async function readSession(reader: Reader, id: string, userId: string, now: Date): Promise<CurrentSession | undefined> {
  const [session] = await reader.query<CurrentSession>('current-session', currentSession, [id, userId, now])
  return session
}

/** Notes when a session was last used; at most once in `everyMs`, whatever the number of calls. */
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

/** How long a session may last, in seconds. */
export interface SessionLimits {
  /** Since the sign-in. */
  duration: number
  /** Since the last use. */
  idle: number
}

/**
 * Replaces a session's refresh token; undefined when `tokenHash` is not the current one or the session is past a limit. One statement: of two tabs with
 * one token, one gets the next.
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

/** A session that has not run out, with what its last rotation left. */
export function sessionById(db: Db, id: string, now: Date) {
  return db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.userId')
    .select(['session.id', 'session.userId', 'user.isAdmin', 'session.tokenHash', 'session.previousTokenHash', 'session.rotatedAt'])
    .where('session.id', '=', id)
    .where('session.expiresAt', '>', now)
    .executeTakeFirst()
}

export async function endSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom('session').where('id', '=', id).execute()
}

/** A user's sessions that have not run out, the last used first. */
export function sessionsOf(db: Db, userId: string, now: Date) {
  return db
    .selectFrom('session')
    .select(['id', 'userAgent', 'address', 'createdAt', 'lastUsedAt', 'expiresAt'])
    .where('userId', '=', userId)
    .where('expiresAt', '>', now)
    .orderBy('lastUsedAt', 'desc')
    .execute()
}

/** Ends a session if it is this user's; false when it is not. */
export async function endSessionOf(db: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('session').where('id', '=', id).where('userId', '=', userId).executeTakeFirst()
  return numDeletedRows === 1n
}

/** Ends all sessions of a user but one. */
export async function endOtherSessions(db: Db, userId: string, id: string): Promise<void> {
  await db.deleteFrom('session').where('userId', '=', userId).where('id', '<>', id).execute()
}
