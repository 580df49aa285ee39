import { type Kysely, sql } from 'kysely'

/**
 * Adds to shares and reverse shares who deleted them and when, so that this can be undone for a
 * while. Meanwhile `expires_at` is the time of the deletion, which hides them from every version
 * of the server, and `restored_expires_at` is the expiration to restore.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['share', 'reverse_share']) {
    await sql`
      alter table ${sql.table(table)}
        add column deleted_at timestamptz,
        add column deleted_by uuid,
        add column restored_expires_at timestamptz`.execute(db)
  }
}
