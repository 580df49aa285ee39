import { Icon } from '../Icon.tsx'
import { nextSort, type Sort, type SortKeys } from './sort.ts'
import './sorting.css'

interface Props<Key extends string> {
  label: string
  by: SortKeys<Key>[number]
  sort: Sort<Key>
  onSort(sort: Sort<Key>): void
}

/** The head of a column that sorts a table, in the other direction when it is clicked again. */
export function SortButton<Key extends string>({ label, by, sort, onSort }: Props<Key>) {
  const order = sort.sort === by.sort ? sort.order : undefined
  return (
    <button type="button" className="sort-head line" data-order={order} onClick={() => onSort(nextSort(by, sort))}>
      {label}
      <Icon name="down" size={14} />
    </button>
  )
}
