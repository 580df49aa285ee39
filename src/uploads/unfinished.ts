import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { abandonedAfter } from '../shares/limits.ts'
import { timeOf } from '../shares/present.ts'
import { unexpired } from '../shares/queries.ts'
import type { UnfinishedUpload } from './contract.ts'

const namesMax = sql.lit(3)
const arrivedBytes = sql`(select coalesce(sum(size), 0) from file_part where file_id = file.id)`

/** Returns an owner's shares that were never completed, newest first. */
export async function unfinishedUploads(db: Db, ownerId: string, now: Date): Promise<UnfinishedUpload[]> {
  const shares = await db
    .selectFrom('share')
    .where(unexpired(now))
    .leftJoin('file', (join) => join.onRef('file.shareId', '=', 'share.id').on('file.removedAt', 'is', null))
    .where('share.ownerId', '=', ownerId)
    .where('share.completedAt', 'is', null)
    .groupBy('share.id')
    .orderBy('share.createdAt', 'desc')
    .orderBy('share.id')
    .select(['share.id', 'share.name', 'share.expiresAt', 'share.createdAt', 'share.activeAt', 'share.encrypted'])
    .select([
      sql<number>`count(file.id)`.as('fileCount'),
      sql<number>`count(file.completed_at)`.as('completedFiles'),
      sql<number>`coalesce(sum(file.size), 0)::bigint`.as('size'),
      sql<number>`coalesce(sum(case when file.completed_at is null then ${arrivedBytes} else file.size end), 0)::bigint`.as('uploaded'),
      sql<
        string[]
      >`array(select name from file f where f.share_id = share.id and f.removed_at is null and not share.encrypted order by name limit ${namesMax})`.as(
        'names',
      ),
    ])
    .execute()
  return shares.map(({ expiresAt, createdAt, activeAt, ...share }) => ({
    ...share,
    expiration: timeOf(expiresAt),
    createdAt: createdAt.toISOString(),
    activeAt: activeAt.toISOString(),
    keptUntil: new Date(activeAt.getTime() + abandonedAfter).toISOString(),
  }))
}
