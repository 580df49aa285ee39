import { sql } from 'kysely'

/**
 * Selects how many bytes shares use of a limit. Files that saving would delete count, because
 * discarding the edits restores them. Those of the share `uid` don't, so that it can replace them.
 */
export function usedBytes(uid: string | null) {
  return sql<number>`coalesce(sum(reserved + case
    when upload_open and completed_at is not null and uid is distinct from ${uid}::uuid
    then (select coalesce(sum(file.size), 0) from file where file.share_id = share.id and removed_at is not null) else 0 end), 0)::bigint`
}
