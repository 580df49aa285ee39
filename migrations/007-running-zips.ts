import { type Kysely, sql } from 'kysely'

/** Adds leases for zips that are being sent, whose files are kept until the transfer ends. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table running_zip (
      id uuid primary key,
      share_uid uuid not null,
      until timestamptz not null
    )`.execute(db)
}
