import { type Kysely, sql } from 'kysely'

/**
 * Adds the limit on the file names of a share together. `reserved_name_bytes` counts their bytes
 * while a share accepts uploads.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table share add column reserved_name_bytes integer not null default 0`.execute(db)
  await sql`
    update share set reserved_name_bytes = (
      select coalesce(sum(octet_length(coalesce(file.pending_name, file.name))), 0) from file
      where file.share_id = share.id and file.removed_at is null
    ) where upload_open`.execute(db)
}
