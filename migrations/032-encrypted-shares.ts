import { type Kysely, sql } from 'kysely'

/**
 * Adds end-to-end encrypted shares and their documents, which the server can't read. A version
 * without them serves their files as stored, and does not know the documents.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table share add column encrypted boolean not null default false`.execute(db)
  await sql`
    create table share_document (
      share_id text primary key references share on update cascade on delete cascade,
      revision bigint not null,
      published bytea,
      draft bytea
    )`.execute(db)
  // Ciphertext can't be compressed.
  await sql`alter table share_document alter column published set storage external, alter column draft set storage external`.execute(db)
}
