import { type Kysely, sql } from 'kysely'

/**
 * Stores many small files in one object. The object is scheduled for removal when its last file is
 * deleted. A version without packs can't read packed files and reports them as missing, because the
 * keys of their slices are names that no object has; deleting them works, because triggers do it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table pack (
      id uuid primary key,
      share_uid uuid not null,
      object_id uuid not null,
      manifest_hash text not null,
      files integer not null check (files >= 0)
    )`.execute(db)
  await sql`alter table file add column pack_id uuid`.execute(db)
  // One call for each statement instead of each row, because a share may have 100,000 files.
  await sql`
    create function files_deleted() returns trigger language plpgsql as $$
    begin
      insert into deleted_object (key, upload_id)
        select object_key, upload_id from deleted where pack_id is null on conflict (key) do nothing;
      update pack set files = pack.files - removed.files
        from (select pack_id, count(*)::integer as files from deleted where pack_id is not null group by pack_id) removed
        where pack.id = removed.pack_id;
      with emptied as (
        delete from pack where files = 0 and id in (select pack_id from deleted where pack_id is not null) returning share_uid, object_id
      )
      insert into deleted_object (key) select 'shares/' || share_uid || '/' || object_id from emptied on conflict (key) do nothing;
      return null;
    end $$`.execute(db)
  await sql`drop trigger file_deleted on file`.execute(db)
  await sql`drop function file_deleted()`.execute(db)
  await sql`
    create trigger files_deleted after delete on file
      referencing old table as deleted for each statement execute function files_deleted()`.execute(db)
}
