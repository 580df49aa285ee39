import type { Insertable } from 'kysely'
import { isStoredTrue } from '../../config/queries.ts'
import type { Reader } from '../../db/connect.ts'
import type { ApiTokenTable, Db } from '../../db/schema.ts'
import type { Scope } from '../../http/guards.ts'

/** Distinguishes API tokens from access tokens, and lets secret scanners recognize leaked ones. */
export const apiTokenPrefix = 'rzb_'

/** Parses stored scopes, which are separated by spaces (RFC 6749, 3.3). */
export function scopesOf(text: string): Scope[] {
  return text.split(' ') as Scope[]
}

interface CurrentApiToken {
  id: string
  userId: string
  username: string
  isAdmin: boolean
  /** Whether TOTP is on or the user has a passkey. */
  hasSecondFactor: boolean
  /** Whether the stored settings require one of administrators. */
  requiresSecondFactor: boolean
  emailVerified: boolean
  scopes: string
  expiresAt: Date | null
  lastUsedAt: Date | null
}

const currentApiToken = `
  select t.id, t.user_id as "userId", u.username, u.is_admin as "isAdmin", u.email_verified as "emailVerified",
    u.totp_verified or exists (select from passkey p where p.user_id = u.id) as "hasSecondFactor",
    ${isStoredTrue('general.requireAdminSecondFactor')} as "requiresSecondFactor",
    t.scopes, t.expires_at as "expiresAt", t.last_used_at as "lastUsedAt"
  from api_token t join "user" u on u.id = t.user_id
  where t.token_hash = $1 and (t.expires_at is null or t.expires_at > $2)`

/**
 * Returns an API token that was neither deleted nor has expired, with its user's current data. Runs
 * for every request with an API token.
 */
export async function readApiToken(reader: Reader, tokenHash: string, now: Date): Promise<CurrentApiToken | undefined> {
  const [token] = await reader.query<CurrentApiToken>('current-api-token', currentApiToken, [tokenHash, now])
  return token
}

/** Records when a token was last used, at most once in `everyMs`. */
export async function touchApiToken(db: Db, id: string, now: Date, everyMs: number): Promise<void> {
  await db
    .updateTable('apiToken')
    .set({ lastUsedAt: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<=', new Date(now.getTime() - everyMs))]))
    .execute()
}

/** Stores an API token and returns it. */
export function insertApiToken(db: Db, token: Insertable<ApiTokenTable>) {
  return db
    .insertInto('apiToken')
    .values(token)
    .returning(['id', 'name', 'scopes', 'createdAt', 'expiresAt', 'lastUsedAt'])
    .executeTakeFirstOrThrow()
}

/** Returns a user's API tokens including expired ones, the newest first. */
export function apiTokensOf(db: Db, userId: string) {
  return db
    .selectFrom('apiToken')
    .select(['id', 'name', 'scopes', 'createdAt', 'expiresAt', 'lastUsedAt'])
    .where('userId', '=', userId)
    .orderBy('createdAt', 'desc')
    .execute()
}

/** Deletes an API token of this user and returns whether the user had it. */
export async function deleteApiToken(db: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('apiToken').where('id', '=', id).where('userId', '=', userId).executeTakeFirst()
  return numDeletedRows === 1n
}
