import type { Insertable, Selectable } from 'kysely'
import { hashToken } from '../../crypto/tokens.ts'
import type { Db, PasskeyChallengeTable, PasskeyTable } from '../../db/schema.ts'

export type StoredPasskey = Selectable<PasskeyTable>

/** Returns a user's passkeys, the newest first. */
export function passkeysOf(db: Db, userId: string): Promise<StoredPasskey[]> {
  return db.selectFrom('passkey').selectAll().where('userId', '=', userId).orderBy('createdAt', 'desc').orderBy('id').execute()
}

/** Returns the passkey with this credential id. */
export function passkeyByCredential(db: Db, credentialId: string): Promise<StoredPasskey | undefined> {
  return db.selectFrom('passkey').selectAll().where('credentialId', '=', credentialId).executeTakeFirst()
}

/** Stores a passkey and returns it, or undefined when a user already has it. */
export function insertPasskey(db: Db, passkey: Insertable<PasskeyTable>): Promise<StoredPasskey | undefined> {
  return db
    .insertInto('passkey')
    .values(passkey)
    .onConflict((conflict) => conflict.column('credentialId').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/**
 * Records the use of a passkey and returns whether its counter has increased. A counter that hasn't
 * points to a cloned passkey (Web Authentication, 6.1.1). Passkeys without a counter always send 0.
 */
export async function recordPasskeyUse(db: Db, id: string, { counter, now }: { counter: number; now: Date }): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkey')
    .set({ counter, lastUsedAt: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('counter', '<', counter), eb.and([eb('counter', '=', 0), eb.val(counter === 0)])]))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Renames a passkey of this user. Returns undefined when the user doesn't have it. */
export function renamePasskey(db: Db, userId: string, id: string, name: string): Promise<StoredPasskey | undefined> {
  return db.updateTable('passkey').set({ name }).where('id', '=', id).where('userId', '=', userId).returningAll().executeTakeFirst()
}

/** Deletes a passkey of this user and returns whether the user had it. */
export async function deletePasskey(db: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('passkey').where('id', '=', id).where('userId', '=', userId).executeTakeFirst()
  return numDeletedRows === 1n
}

/** What a challenge was created for. `userId` is null when any user may sign in with it. */
export type ChallengePurpose = Pick<PasskeyChallengeTable, 'purpose' | 'userId'>

/** Stores the hash of a challenge. */
export async function insertChallenge(db: Db, challenge: string, { purpose, userId }: ChallengePurpose, expiresAt: Date): Promise<void> {
  await db
    .insertInto('passkeyChallenge')
    .values({ challengeHash: hashToken(challenge), purpose, userId, expiresAt })
    .execute()
}

/**
 * Deletes a challenge and returns whether it was valid: known, unused, not expired, and created for
 * this purpose and user.
 */
export async function consumeChallenge(db: Db, challenge: string, { purpose, userId }: ChallengePurpose, now: Date): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('passkeyChallenge')
    .where('challengeHash', '=', hashToken(challenge))
    .where('purpose', '=', purpose)
    .where('userId', 'is not distinct from', userId)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
