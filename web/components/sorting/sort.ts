/** What a list is sorted by. */
export interface Sort<Key extends string> {
  sort: Key
  order: 'asc' | 'desc'
}

/**
 * What a list can be sorted by, in the order of its columns, each with the direction of the first
 * click.
 */
export type SortKeys<Key extends string> = { sort: Key; first: 'asc' | 'desc' }[]

/** Returns the order after a click on the head of the column `by`. */
export function nextSort<Key extends string>(by: SortKeys<Key>[number], { sort, order }: Sort<Key>): Sort<Key> {
  if (sort !== by.sort) return { sort: by.sort, order: by.first }
  return { sort, order: order === 'asc' ? 'desc' : 'asc' }
}

/** Returns the order of a column for screen readers; undefined if the list is not sorted by it. */
export function ariaSort<Key extends string>(key: Key, { sort, order }: Sort<Key>): 'ascending' | 'descending' | undefined {
  if (sort !== key) return undefined
  return order === 'asc' ? 'ascending' : 'descending'
}
