import type { Insertable } from 'kysely'
import type { Reader } from '../../db/connect.ts'
import type { ApiTokenTable, Db } from '../../db/schema.ts'
import type { Scope } from '../../http/guards.ts'

/** Tells an API token from an access token, and lets scanners of leaked secrets know ours. */
export const apiTokenPrefix = 'rzb_'

/** Scopes as they are stored, parted by spaces (RFC 6749, 3.3). */
export function scopesOf(text: string): Scope[] {
  return text.split(' ') as Scope[]
}

interface CurrentApiToken {
  id: string
  userId: string
  username: string
  isAdmin: boolean
  scopes: string
  expiresAt: Date | null
  lastUsedAt: Date | null
}

const currentApiToken = `
  select t.id, t.user_id as "userId", u.username, u.is_admin as "isAdmin", t.scopes, t.expires_at as "expiresAt", t.last_used_at as "lastUsedAt"
  from api_token t join "user" u on u.id = t.user_id
  where t.token_hash = $1 and (t.expires_at is null or t.expires_at > $2)`

/** An API token that was neither deleted nor has run out, with its user as the user is now. Asked at every call. */
export async function readApiToken(reader: Reader, tokenHash: string, now: Date): Promise<CurrentApiToken | undefined> {
  const [token] = await reader.query<CurrentApiToken>('current-api-token', currentApiToken, [tokenHash, now])
  return token
}

/** Notes when a token was last used; at most once in `everyMs`, whatever the number of calls. */
export async function touchApiToken(db: Db, id: string, now: Date, everyMs: number): Promise<void> {
  await db
    .updateTable('apiToken')
    .set({ lastUsedAt: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<=', new Date(now.getTime() - everyMs))]))
    .execute()
}

export function insertApiToken(db: Db, token: Insertable<ApiTokenTable>) {
  return db
    .insertInto('apiToken')
    .values(token)
    .returning(['id', 'name', 'scopes', 'createdAt', 'expiresAt', 'lastUsedAt'])
    .executeTakeFirstOrThrow()
}

/** A user's API tokens, those that have run out too, the newest first. */
export function apiTokensOf(db: Db, userId: string) {
  return db
    .selectFrom('apiToken')
    .select(['id', 'name', 'scopes', 'createdAt', 'expiresAt', 'lastUsedAt'])
    .where('userId', '=', userId)
    .orderBy('createdAt', 'desc')
    .execute()
}

/** Deletes an API token if it is this user's; false when it is not. */
export async function deleteApiToken(db: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('apiToken').where('id', '=', id).where('userId', '=', userId).executeTakeFirst()
  return numDeletedRows === 1n
}
