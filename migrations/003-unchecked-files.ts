import { type Kysely, sql } from 'kysely'

/** Finds the files whose CRC-32 has still to be read back, of which there are few or none, without reading the others. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index file_unchecked on file (id) where completed_at is not null and crc32 is null`.execute(db)
}
