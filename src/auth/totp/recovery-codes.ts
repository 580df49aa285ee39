import { createHmac, randomInt } from 'node:crypto'
import type { Sealer } from '../../crypto/sealed.ts'
import type { Db } from '../../db/schema.ts'
import { recoveryCodeCount } from '../limits.ts'

// Without i, l, o, 0 and 1, which are misread on paper. 16 of them have 79 bit.
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const groups = 4

/** Gives a user ten new recovery codes in place of the old ones; only they are stored as MACs. In a transaction that has locked the user. */
export async function renewRecoveryCodes(db: Db, sealer: Sealer, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, newCode)
  await deleteRecoveryCodes(db, userId)
  await db
    .insertInto('recoveryCode')
    .values(codes.map((code) => ({ userId, codeHash: macOf(sealer, plain(code)) })))
    .execute()
  return codes
}

/** Uses a recovery code up; false when it is none of the user's, or was used. One statement: of two sign-ins with one code one succeeds. */
export async function consumeRecoveryCode(db: Db, sealer: Sealer, userId: string, code: string): Promise<boolean> {
  const query = db
    .deleteFrom('recoveryCode')
    .where('userId', '=', userId)
    .where('codeHash', '=', macOf(sealer, plain(code)))
  return (await query.executeTakeFirst()).numDeletedRows === 1n
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const query = db.selectFrom('recoveryCode').select((eb) => eb.fn.countAll<number>().as('count'))
  return (await query.where('userId', '=', userId).executeTakeFirstOrThrow()).count
}

export async function deleteRecoveryCodes(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('recoveryCode').where('userId', '=', userId).execute()
}

/** A code as it is compared: however it was typed. */
export function plain(code: string): string {
  return code.normalize('NFKC').replace(/[\s-]/g, '').toLowerCase()
}

function newCode(): string {
  const letters = (count: number) => Array.from({ length: count }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: groups }, () => letters(4)).join('-')
}

/** Too short for a bare hash: who has the database alone must not be able to try them. */
function macOf(sealer: Sealer, code: string): string {
  return createHmac('sha256', sealer.key('recovery codes')).update(code).digest('base64url')
}
