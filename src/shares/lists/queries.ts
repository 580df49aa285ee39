import { type ExpressionBuilder, type ExpressionOrFactory, type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { escapeLike } from '../../db/like.ts'
import type { Database, Db } from '../../db/schema.ts'
import type { SharedFile, ShareFilter, SortKey } from '../contract.ts'
import { type Grace, isInGrace, reopenableBy } from '../deletion/grace.ts'
import { fileCountOf, filesOf, unexpired } from '../queries.ts'

const defaultLimit = 50 // items of a page
const unpagedLimit = 1_000 // items of a list whose caller names no page

export interface Page {
  page?: number
  limit?: number
  search?: string
}

export interface SortedPage extends Page {
  sort?: SortKey
  order?: 'asc' | 'desc'
}

interface OwnedPage extends SortedPage {
  filter?: ShareFilter
  /** The maximum number of files of each share. */
  files?: number
}

/**
 * Returns a user's completed shares, by default newest first, each with at most `files` of its
 * files. The filter `received` selects the shares they received instead, and `expired` those that
 * they can reopen.
 */
export function listOwnedShares(db: Db, userId: string, grace: Grace, { files, ...page }: OwnedPage) {
  const { sort, filter, search } = page
  // `greatest` keeps PostgreSQL from looking for a user's shares in the index of all shares.
  const isSelective = filter !== undefined && filter !== 'active'
  const key = sort === 'views' ? totalViews : sortable[sort ?? 'createdAt']
  const by = sort || search || isSelective ? sql`greatest(${key})` : undefined
  return sortedPage(db, owned(db, userId, grace, page), { ...page, by, order: page.order })
    .select(['id', 'name', 'description', 'expiresAt', 'createdAt', 'size', 'views', 'maxViews', 'kind', 'encrypted'])
    .select('uploadOpen as editing')
    .select((eb) => [
      eb.and([eb('receiverId', 'is not', null), eb('receiverId', '=', userId)]).as('received'),
      eb('passwordHash', 'is not', null).as('passwordProtected'),
      filesOf(eb, files).as('files'),
      fileCountOf(eb).as('fileCount'),
      recipientsOf(eb).as('recipients'),
      totalViews.as('totalViews'),
    ])
    .$narrowType<{ files: SharedFile[]; fileCount: number; recipients: string[]; passwordProtected: boolean; received: boolean }>()
    .execute()
}

/** Counts the shares that `listOwnedShares` finds on all pages. */
export async function countOwnedShares(db: Db, userId: string, grace: Grace, page: OwnedPage): Promise<number> {
  const { count } = await owned(db, userId, grace, page)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

const soon = 7 * 86_400_000 // ms

function owned(db: Db, userId: string, grace: Grace, { search, filter }: OwnedPage) {
  if (filter === 'expired') return matching(db, isInGrace(grace), search).where(reopenableBy(userId))
  const { now } = grace
  const completed = matching(db, unexpired(now), search).where('completedAt', 'is not', null)
  if (filter === 'received') return completed.where('receiverId', '=', userId)
  const shares = completed.where('ownerId', '=', userId)
  if (filter === 'active') return shares.where((eb) => eb.not(hasEnded))
  if (filter === 'ended') return shares.where(hasEnded)
  if (filter === 'expiring') return shares.where('expiresAt', '<=', new Date(now.getTime() + soon))
  return filter === 'password' ? shares.where('passwordHash', 'is not', null) : shares
}

const hasEnded = sql<boolean>`(removed_reason is not null or views >= coalesce(max_views, 2147483648))`

/** The visits through all links of a share. */
const totalViews = sql<number>`(share.views + coalesce((select sum(views) from share_link where share_id = share.id), 0))::integer`

/** The name and the size have indexes of migration 035, the expiration one of `onlineIndexes`. */
export const sortable: Record<SortKey, RawBuilder<unknown>> = {
  name: sql`lower(coalesce(share.name, share.id))`,
  creator: sql`(select username_key from "user" where "user".id = share.owner_id)`,
  views: sql`share.views`,
  size: sql`share.size`,
  expiration: sql`coalesce(share.expires_at, 'infinity')`,
  createdAt: sql`share.created_at`,
}

/**
 * Selects those shares whose link, name or description contains a text. With `owners`, owners'
 * names match too.
 */
export function matching(db: Db, which: ExpressionOrFactory<Database, 'share', SqlBool>, search = '', also?: 'owners') {
  const shares = db.selectFrom('share').where(which)
  const text = searchedText(search)
  if (!text) return shares
  const pattern = `%${escapeLike(text)}%`
  return shares.where((eb) => {
    const columns = ['id', 'name', 'description'] as const
    // `lower` keeps PostgreSQL from searching the index of all shares for those of one user.
    if (!also) return eb.or(columns.map((column) => eb(eb.fn<string>('lower', [column]), 'like', sql<string>`lower(${pattern})`)))
    const owners = eb.selectFrom('user').select('user.id').where('username', 'ilike', pattern)
    // An array is read once, and lets PostgreSQL use indexes for all of it.
    return eb.or([...columns.map((column) => eb(column, 'ilike', pattern)), sql<boolean>`share.owner_id = any(array(${owners}))`])
  })
}

/** Returns the text that a search looks for; empty: all shares. */
export function searchedText(search = ''): string {
  return search.replaceAll('\0', '').trim()
}

/**
 * Selects the shares of one page. Their ids are found first, so that what a list shows beside them
 * is not computed for the shares of the pages before.
 */
function sortedPage(db: Db, query: ReturnType<typeof matching>, { order, by, ...page }: Page & Sorting) {
  return sorted(db.selectFrom('share').where('share.id', 'in', idsOfPage(query, page, { by, order })), { by, order })
}

/** Selects the ids of the shares of one page. */
export function idsOfPage(query: ReturnType<typeof matching>, page: Page, sorting: Sorting) {
  const { limit, offset } = rowRangeOf(page)
  return sorted(query.select('share.id'), sorting).limit(limit).offset(offset)
}

export interface Sorting {
  /** Absent: the time of creation. */
  by: RawBuilder<unknown> | undefined
  order: 'asc' | 'desc' | undefined
}

/** Sorts shares. Those that are equal come newest first. */
export function sorted<O>(query: SelectQueryBuilder<Database, 'share', O>, { by, order = 'desc' }: Sorting) {
  if (!by) return query.orderBy('share.createdAt', order).orderBy('share.id', order === 'asc' ? 'desc' : 'asc')
  return query.orderBy(by, order).orderBy('share.createdAt', 'desc').orderBy('share.id')
}

function recipientsOf(eb: ExpressionBuilder<Database, 'share'>) {
  return eb
    .selectFrom('shareRecipient')
    .select(sql<string[]>`coalesce(array_agg(email order by created_at, email), '{}')`.as('list'))
    .whereRef('shareRecipient.shareId', '=', 'share.id')
}

export interface RowRange {
  limit: number
  offset: number
}

/** Returns the rows of a page: 50, or the first 1,000 if the caller names none. */
export function rowRangeOf({ page, limit }: Pick<Page, 'page' | 'limit'>): RowRange {
  const size = limit ?? (page === undefined ? unpagedLimit : defaultLimit)
  return { limit: size, offset: ((page ?? 1) - 1) * size }
}
