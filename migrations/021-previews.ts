import { type Kysely, sql } from 'kysely'

/**
 * Adds previews of files. A file has a row if its type can have a preview. Without `object_key` the
 * preview has not been created yet, or could not be created when all attempts are used.
 * `previewed_revision` is the revision of a share whose files were checked for previews.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table preview (
      file_id uuid primary key references file on delete cascade,
      kind text not null check (kind in ('image', 'raw', 'video', 'document')),
      attempts integer not null default 0,
      due_at timestamptz not null default now(),
      error text,
      object_key text,
      width integer,
      height integer,
      thumbnail_size integer,
      preview_size integer,
      created_at timestamptz,
      check (object_key is null or (width is not null and height is not null and thumbnail_size is not null and preview_size is not null and created_at is not null))
    )`.execute(db)
  await sql`create index preview_waiting on preview (due_at) where object_key is null`.execute(db)
  await sql`alter table share add column previewed_revision integer not null default 0`.execute(db)
  await sql`
    create index share_without_previews on share (uid) where completed_at is not null and previewed_revision < revision`.execute(db)
  await sql`
    create function preview_deleted() returns trigger language plpgsql as $$
    begin
      insert into deleted_object (key) values (old.object_key || '-thumbnail'), (old.object_key || '-preview') on conflict (key) do nothing;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger preview_deleted after delete on preview for each row
    when (old.object_key is not null) execute function preview_deleted()`.execute(db)
}
