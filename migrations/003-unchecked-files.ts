import { type Kysely, sql } from 'kysely'

/** Adds an index for files without a CRC-32, of which there are few. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index file_unchecked on file (id) where completed_at is not null and crc32 is null`.execute(db)
}
