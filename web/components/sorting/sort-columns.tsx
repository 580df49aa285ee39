import type { TFunction } from 'i18next'
import type { ReactNode } from 'react'
import type { Column } from '../CardTable.tsx'
import { SortButton } from './SortButton.tsx'
import { ariaSort, type Sort, type SortKeys } from './sort.ts'

interface Options<Row, Key extends string> {
  keys: SortKeys<Key>
  labels: Record<Key, string>
  cells: Record<Key, (row: Row) => ReactNode>
  sort: Sort<Key>
  onSort(sort: Sort<Key>): void
}

/** Returns the columns of a table that sorts by each of them. `labels` are keys of texts. */
export function sortColumns<Row, Key extends string>(
  t: TFunction,
  { keys, labels, cells, sort, onSort }: Options<Row, Key>,
): Column<Row>[] {
  return keys.map((by) => {
    const text: string = labels[by.sort]
    const label = t(text)
    const head = <SortButton key={by.sort} label={label} by={by} sort={sort} onSort={onSort} />
    return { key: by.sort, label, head, sorted: ariaSort(by.sort, sort), cell: cells[by.sort] }
  })
}
