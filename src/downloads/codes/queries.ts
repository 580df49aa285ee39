import { type Insertable, sql } from 'kysely'
import type { Database, Db } from '../../db/schema.ts'

/** Returns the recipient of a link that asks for a code, and its share; undefined without one. */
export function recipientOf(db: Db, linkUid: string) {
  return db
    .selectFrom('shareLink')
    .innerJoin('shareRecipient', 'shareRecipient.id', 'shareLink.recipientId')
    .innerJoin('share', 'share.id', 'shareLink.shareId')
    .select(['shareRecipient.email', 'shareRecipient.emailKey', 'share.id', 'share.uid', 'share.ownerId', 'share.size'])
    .where('shareLink.uid', '=', linkUid)
    .where('shareLink.verifyEmail', '=', true)
    .executeTakeFirst()
}

/** Stores a code in the place of an earlier one, which no longer works. */
export async function replaceCode(db: Db, code: Insertable<Database['emailCode']>): Promise<void> {
  await db
    .insertInto('emailCode')
    .values(code)
    .onConflict((conflict) => conflict.column('linkUid').doUpdateSet({ ...code, tries: 0 }))
    .execute()
}

/**
 * Consumes one try of a link's code, and returns the code's hash and the number of tries so far;
 * undefined if there is no code, or none that can be tried. One statement, so parallel guesses can't
 * exceed `max`.
 */
export function consumeTry(db: Db, linkUid: string, { max, now }: { max: number; now: Date }) {
  return db
    .updateTable('emailCode')
    .set({ tries: sql`tries + 1` })
    .where('linkUid', '=', linkUid)
    .where('tries', '<', max)
    .where('expiresAt', '>', now)
    .returning(['codeHash', 'tries'])
    .executeTakeFirst()
}

/** Deletes a code that was right; false if it was used or replaced meanwhile. */
export async function deleteUsedCode(db: Db, linkUid: string, codeHash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('emailCode')
    .where('linkUid', '=', linkUid)
    .where('codeHash', '=', codeHash)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
