import type { Insertable, Selectable } from 'kysely'
import { hashToken } from '../../crypto/tokens.ts'
import type { Db, PasskeyChallengeTable, PasskeyTable } from '../../db/schema.ts'

export type StoredPasskey = Selectable<PasskeyTable>

/** A user's passkeys, the newest first. */
export function passkeysOf(db: Db, userId: string): Promise<StoredPasskey[]> {
  return db.selectFrom('passkey').selectAll().where('userId', '=', userId).orderBy('createdAt', 'desc').orderBy('id').execute()
}

export function passkeyByCredential(db: Db, credentialId: string): Promise<StoredPasskey | undefined> {
  return db.selectFrom('passkey').selectAll().where('credentialId', '=', credentialId).executeTakeFirst()
}

/** Stores a passkey; undefined when it was stored before, for whomever. */
export function insertPasskey(db: Db, passkey: Insertable<PasskeyTable>): Promise<StoredPasskey | undefined> {
  return db
    .insertInto('passkey')
    .values(passkey)
    .onConflict((conflict) => conflict.column('credentialId').doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Notes a use. Its counter only rises, where it has one (Web Authentication, 6.1.1): false when it did not, as with the copy of a passkey. */
export async function recordPasskeyUse(db: Db, id: string, { counter, now }: { counter: number; now: Date }): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkey')
    .set({ counter, lastUsedAt: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('counter', '<', counter), eb.and([eb('counter', '=', 0), eb.val(counter === 0)])]))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Renames a passkey if it is this user's. */
export function renamePasskey(db: Db, userId: string, id: string, name: string): Promise<StoredPasskey | undefined> {
  return db.updateTable('passkey').set({ name }).where('id', '=', id).where('userId', '=', userId).returningAll().executeTakeFirst()
}

/** Deletes a passkey if it is this user's; false when it is not. */
export async function deletePasskey(db: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('passkey').where('id', '=', id).where('userId', '=', userId).executeTakeFirst()
  return numDeletedRows === 1n
}

/** What a challenge was made for; `userId` null: for whoever answers. */
export type ChallengePurpose = Pick<PasskeyChallengeTable, 'purpose' | 'userId'>

export async function insertChallenge(db: Db, challenge: string, { purpose, userId }: ChallengePurpose, expiresAt: Date): Promise<void> {
  await db
    .insertInto('passkeyChallenge')
    .values({ challengeHash: hashToken(challenge), purpose, userId, expiresAt })
    .execute()
}

/** Takes a challenge for its only use; false when it is none, is over, was used, or was made for something or somebody else. */
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
