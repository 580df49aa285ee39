import { type Kysely, sql } from 'kysely'

/** How many chunks a client of Pingvin Share says that a file comes in; null: announced with its size. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table file add column chunks integer`.execute(db)
}
