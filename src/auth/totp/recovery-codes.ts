import { randomInt } from 'node:crypto'
import type { Sealer } from '../../crypto/sealed.ts'
import { macOf } from '../../crypto/signed.ts'
import type { Db } from '../../db/schema.ts'
import { recoveryCodeCount } from '../limits.ts'

// Without i, l, o, 0 and 1, which people misread on paper. 16 characters have 79 bits.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const groups = 4

/**
 * Replaces a user's recovery codes by ten new ones and returns them. Only MACs are stored. Requires
 * a transaction that has locked the user.
 */
export async function renewRecoveryCodes(db: Db, sealer: Sealer, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, newCode)
  await deleteRecoveryCodes(db, userId)
  await db
    .insertInto('recoveryCode')
    .values(codes.map((code) => ({ userId, codeHash: hashOf(sealer, code) })))
    .execute()
  return codes
}

/**
 * Deletes a recovery code and returns whether the user had it. One statement, so only one of two
 * sign-ins with the same code succeeds.
 */
export async function consumeRecoveryCode(db: Db, sealer: Sealer, userId: string, code: string): Promise<boolean> {
  const query = db.deleteFrom('recoveryCode').where('userId', '=', userId).where('codeHash', '=', hashOf(sealer, code))
  return (await query.executeTakeFirst()).numDeletedRows === 1n
}

/** Returns how many unused recovery codes a user has. */
export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const query = db.selectFrom('recoveryCode').select((eb) => eb.fn.countAll<number>().as('count'))
  return (await query.where('userId', '=', userId).executeTakeFirstOrThrow()).count
}

/** Deletes all recovery codes of a user. */
export async function deleteRecoveryCodes(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('recoveryCode').where('userId', '=', userId).execute()
}

/** Removes the spaces, hyphens, case and Unicode variants in which typed codes differ. */
export function normalizeCode(code: string): string {
  return code.normalize('NFKC').replace(/[\s-]/g, '').toLowerCase()
}

function newCode(): string {
  const letters = (count: number) => Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: groups }, () => letters(4)).join('-')
}

/**
 * A MAC instead of a plain hash, because codes are short enough to be guessed from a copy of the
 * database.
 */
function hashOf(sealer: Sealer, code: string): string {
  return macOf(sealer, 'recovery codes', normalizeCode(code))
}
