import { sql } from 'kysely'
import type { Context } from '../../src/context.ts'

const times = [
  'created_at',
  'active_at',
  'completed_at',
  'expires_at',
  'deleted_at',
  'restored_expires_at',
  'asked_at',
  'reminded_of',
  'notified_until',
] as const

/**
 * Lets all shares, downloads and reverse shares be older by some seconds. Unlike a later clock, this ends no
 * session.
 */
export async function age({ db }: Context, seconds: number): Promise<void> {
  const span = sql`${seconds} * interval '1 second'`
  const changes = times.map((time) => sql`${sql.ref(time)} = ${sql.ref(time)} - ${span}`)
  await sql`update share set ${sql.join(changes)}`.execute(db)
  await sql`update download set complete_at = complete_at - ${span}`.execute(db)
  await sql`update reverse_share set expires_at = expires_at - ${span}, deleted_at = deleted_at - ${span}`.execute(db)
}
