import type { Insertable } from 'kysely'
import type { Reader } from '../db/connect.ts'
import type { Db, SessionTable } from '../db/schema.ts'

export async function insertSession(db: Db, session: Insertable<SessionTable>): Promise<void> {
  await db.insertInto('session').values(session).execute()
}

export interface CurrentSession {
  userId: string
  username: string
  isAdmin: boolean
  lastUsedAt: Date
}

const currentSession = `
  select s.user_id as "userId", u.username, u.is_admin as "isAdmin", s.last_used_at as "lastUsedAt"
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
  expiresAt: Date
}

/** Replaces a session's refresh token; undefined when `tokenHash` is not the current one. One statement: of two tabs with one token, one gets the next. */
export function rotateToken(db: Db, { id, tokenHash, nextHash, now, expiresAt }: Rotation) {
  return db
    .updateTable('session')
    .from('user')
    .set({ tokenHash: nextHash, previousTokenHash: tokenHash, rotatedAt: now, lastUsedAt: now, expiresAt })
    .whereRef('user.id', '=', 'session.userId')
    .where('session.id', '=', id)
    .where('session.tokenHash', '=', tokenHash)
    .where('session.expiresAt', '>', now)
    .returning(['session.id', 'session.userId', 'user.isAdmin'])
    .executeTakeFirst()
}

/** A session that has not run out, with what its last rotation left. */
export function sessionById(db: Db, id: string, now: Date) {
  return db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.userId')
    .select(['session.id', 'session.userId', 'user.isAdmin', 'session.previousTokenHash', 'session.rotatedAt'])
    .where('session.id', '=', id)
    .where('session.expiresAt', '>', now)
    .executeTakeFirst()
}

export async function endSession(db: Db, id: string): Promise<void> {
  await db.deleteFrom('session').where('id', '=', id).execute()
}
