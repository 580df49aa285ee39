import { sql } from 'kysely'
import { keepingResult } from '../../db/kept-result.ts'
import type { Db } from '../../db/schema.ts'
import { countedMax } from '../limits.ts'
import { fileCountOf, firstFileOf, unexpired } from '../queries.ts'
import { idsOfPage, matching, rowRangeOf, type SortedPage, type Sorting, searchedText, sortable, sorted } from './queries.ts'

/**
 * Returns all shares with their owners' names, by default newest first. A search matches owners
 * too.
 */
export function listAllShares(db: Db, now: Date, page: SortedPage) {
  return sorted(db.selectFrom('share').where('share.id', 'in', idsOfAllShares(db, now, page)), orderOfAllShares(page))
    .select(['id', 'name', 'description', 'expiresAt', 'createdAt', 'size', 'views', 'completedAt', 'kind', 'encrypted'])
    .select((eb) => [
      eb.selectFrom('user').select('username').whereRef('user.id', '=', 'share.ownerId').as('username'),
      firstFileOf(eb).as('firstFile'),
      fileCountOf(eb).as('fileCount'),
    ])
    .$narrowType<{ fileCount: number }>()
    .execute()
}

function idsOfAllShares(db: Db, now: Date, page: SortedPage) {
  const { sort, search } = page
  if (sort === 'creator' && !searchedText(search)) return idsByCreator(now, page)
  // An index of the expiration starts at this value.
  const isLater = sql<boolean>`${sortable.expiration} > ${now}`
  return idsOfPage(matching(db, sort === 'expiration' ? isLater : unexpired(now), search, 'owners'), page, orderOfAllShares(page))
}

function orderOfAllShares({ sort = 'createdAt', order }: SortedPage): Sorting {
  if (sort === 'createdAt') return { by: undefined, order }
  // Shares without a creator are last.
  return { by: sort === 'creator' && order !== 'asc' ? sql`coalesce(${sortable.creator}, '')` : sortable[sort], order }
}

/**
 * Selects the shares of one page by their creators' names. It reads the creators in the order of
 * their names, and only as many shares as the pages up to this one have.
 */
function idsByCreator(now: Date, { order, ...page }: SortedPage) {
  const { limit, offset } = rowRangeOf(page)
  const [last, direction] = order === 'asc' ? [sql`null`, sql`asc`] : [sql`''`, sql`desc`]
  const isUnexpired = sql`(expires_at is null or expires_at > ${now})`
  return sql<string>`(
    select listed.id
    from (select id, username_key from "user" union all select null, ${last}) creator
      cross join lateral (
        select id, created_at from share where owner_id = creator.id and ${isUnexpired}
        union all
        select id, created_at from share where creator.id is null and owner_id is null and ${isUnexpired}
      ) listed
    order by creator.username_key ${direction}, listed.created_at desc, listed.id limit ${limit} offset ${offset})`
}

/**
 * Counts the shares that `listAllShares` finds on all pages. With more than 100,000 shares, the
 * count is up to a minute old. Of a search, at most one share more than `countedMax` is counted.
 */
export function countAllShares(db: Db, now: Date, search?: string): Promise<number> {
  return searchedText(search) ? countFound(db, now, search) : recentCount(db, now)
}

async function countFound(db: Db, now: Date, search?: string): Promise<number> {
  const found = matching(db, unexpired(now), search, 'owners')
    .select('share.id')
    .limit(countedMax + 1)
  const { count } = await db
    .selectFrom(found.as('found'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Counting 200,000 shares takes 40 ms and more. */
const recentCount = keepingResult(countUnexpired, { keptFor: 60_000, keeps: (count) => count > 100_000 })

async function countUnexpired(db: Db, now: Date): Promise<number> {
  const { count } = await db
    .selectFrom('share')
    .where(unexpired(now))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}
