import { type Kysely, sql } from 'kysely'

/**
 * Adds the number of chunks that a Pingvin Share client announced; null: the size was announced.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table file add column chunks integer`.execute(db)
}
