import type { Db } from '../db/schema.ts'

// In a transaction that has locked the user (`lockedUser`): a sign-in is either over, and ended here, or comes to nothing.

/** Ends every session, API token, half-done sign-in and password link of a user, at once on every replica. */
export async function revokeAccess(db: Db, userId: string): Promise<void> {
  await bumpVersion(db, userId)
  for (const table of ['session', 'apiToken', 'passwordToken'] as const) await db.deleteFrom(table).where('userId', '=', userId).execute()
}

/** Ends half-done sign-ins: how this account is signed in to has changed. */
export async function bumpVersion(db: Db, userId: string): Promise<void> {
  await db
    .updateTable('user')
    .set((eb) => ({ credentialVersion: eb('credentialVersion', '+', 1) }))
    .where('id', '=', userId)
    .execute()
  for (const table of ['loginToken', 'passkeyChallenge'] as const) await db.deleteFrom(table).where('userId', '=', userId).execute()
}
