import type { Db } from '../db/schema.ts'

// Both functions require a transaction that has locked the user (`lockedUser`).
// A concurrent sign-in has then either finished, so that its session ends here, or fails.

/**
 * Ends every session, API token, unfinished sign-in and password link of a user, immediately on
 * every replica.
 */
export async function revokeAccess(db: Db, userId: string): Promise<void> {
  await bumpVersion(db, userId)
  for (const table of ['session', 'apiToken', 'passwordToken'] as const) await db.deleteFrom(table).where('userId', '=', userId).execute()
}

/** Ends unfinished sign-ins of a user after a change of credentials. */
export async function bumpVersion(db: Db, userId: string): Promise<void> {
  await db
    .updateTable('user')
    .set((eb) => ({ credentialVersion: eb('credentialVersion', '+', 1) }))
    .where('id', '=', userId)
    .execute()
  for (const table of ['loginToken', 'passkeyChallenge'] as const) await db.deleteFrom(table).where('userId', '=', userId).execute()
}
