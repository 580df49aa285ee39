import { type Kysely, sql } from 'kysely'

/** Adds an index of the objects to remove, so that each batch doesn't read all of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index deleted_object_due on deleted_object (deleted_at)`.execute(db)
}
