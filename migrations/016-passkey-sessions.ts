import { type Kysely, sql } from 'kysely'

/**
 * Adds to a session whether a passkey has started it. Administrators can be required to use one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table session add column by_passkey boolean not null default false`.execute(db)
}
