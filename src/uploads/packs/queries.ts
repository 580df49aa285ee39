import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

/** A file of a pack with its bytes in the store. */
export interface PackedFile {
  id: string
  name: string
  size: number
  type: string | null
  crc32: number
  objectKey: string
}

/** Finds a stored pack that still has files. */
export function findPack(db: Db, id: string) {
  return db.selectFrom('pack').select(['shareUid', 'manifestHash']).where('id', '=', id).executeTakeFirst()
}

interface NewPack {
  id: string
  shareId: string
  shareUid: string
  objectId: string
  manifestHash: string
  files: readonly PackedFile[]
  now: Date
}

/**
 * Inserts a pack with its complete files, in one statement. Returns the number of inserted files: fewer
 * than the pack has if its ID, or the ID of a file, is already used.
 */
export async function insertPack(db: Db, { id, shareId, shareUid, objectId, manifestHash, files, now }: NewPack): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with added as (
      insert into pack (id, share_uid, object_id, manifest_hash, files)
      values (${id}, ${shareUid}, ${objectId}, ${manifestHash}, ${files.length}) on conflict (id) do nothing returning id
    )
    insert into file (id, share_id, name, size, type, object_key, part_size, part_count, crc32, created_at, completed_at, pack_id)
    select f.id, ${shareId}, f.name, f.size, f.type, f."objectKey", greatest(1, f.size), least(1, f.size)::integer, f.crc32,
      ${now}::timestamptz, ${now}::timestamptz, added.id
    from added, json_to_recordset(${JSON.stringify(files)}::json)
      as f(id uuid, name text, size bigint, type text, "objectKey" text, crc32 bigint)
    on conflict (id) do nothing`.execute(db)
  return Number(numAffectedRows)
}
