import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'
import { emailKeyOf } from '../../mail/email-key.ts'

const year = 31_536_000_000 // ms
const listed = 100
const kept = 500

/**
 * Remembers the addresses that a user has sent a share to, for suggestions. The 500 that were used
 * last are kept, for a year.
 */
export async function rememberRecipients(db: Db, userId: string, emails: readonly string[], now: Date): Promise<void> {
  if (emails.length === 0) return
  const byKey = new Map(emails.map((email) => [emailKeyOf(email), email]))
  // In one order, so that concurrent calls do not lock each other's rows.
  const rows = [...byKey.keys()].sort().map((emailKey) => ({ userId, emailKey, email: byKey.get(emailKey) as string, usedAt: now }))
  await db
    .insertInto('knownRecipient')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['userId', 'emailKey']).doUpdateSet({ email: sql`excluded.email`, usedAt: now }))
    .execute()
  await db
    .deleteFrom('knownRecipient')
    .where('userId', '=', userId)
    .where((eb) =>
      eb.or([
        eb('usedAt', '<', new Date(now.getTime() - year)),
        eb(
          'emailKey',
          'in',
          eb
            .selectFrom('knownRecipient as old')
            .select('old.emailKey')
            .where('old.userId', '=', userId)
            .orderBy('old.usedAt', 'desc')
            .offset(kept),
        ),
      ]),
    )
    .execute()
}

/** Returns up to 100 addresses that a user has sent shares to in the last year, the last used first. */
export async function knownRecipients(db: Db, userId: string, now: Date): Promise<string[]> {
  const known = await db
    .selectFrom('knownRecipient')
    .select('email')
    .where('userId', '=', userId)
    .where('usedAt', '>=', new Date(now.getTime() - year))
    .orderBy('usedAt', 'desc')
    .orderBy('emailKey')
    .limit(listed)
    .execute()
  return known.map(({ email }) => email)
}
