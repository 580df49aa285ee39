import { type Kysely, sql } from 'kysely'

/**
 * Adds the language that a user has chosen, and the language of an email. null: that of the site,
 * which a version without them uses for all emails.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table "user" add column language text`.execute(db)
  await sql`alter table mail add column language text`.execute(db)
}
