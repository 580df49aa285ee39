import { type Kysely, sql } from 'kysely'

/** Archives that are being sent: the files of their shares stay until that is over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table running_zip (
      id uuid primary key,
      share_uid uuid not null,
      until timestamptz not null
    )`.execute(db)
}
