import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Sort, SortKeys } from './sort.ts'
import './sorting.css'

interface Props<Key extends string> {
  keys: SortKeys<Key>
  sort: Sort<Key>
  onSort(sort: Sort<Key>): void
}

/** Chooses the order of a list that is shown without column heads. */
export function SortChoice<Key extends string>({ keys, sort, onSort }: Props<Key>) {
  const { t } = useTranslation()
  const choices = keys.flatMap(({ sort, first }): Sort<Key>[] => [
    { sort, order: first },
    { sort, order: first === 'asc' ? 'desc' : 'asc' },
  ])
  return (
    <Select
      className="sort-choice"
      virtual={false} // all choices are visible at once
      listHeight={480}
      aria-label={t('allShares.sort')}
      value={nameOf(sort)}
      options={choices.map((choice) => ({ value: nameOf(choice), label: t(`allShares.sort.${nameOf(choice)}`) }))}
      onChange={(name) => onSort(choices.find((choice) => nameOf(choice) === name) ?? sort)}
    />
  )
}

function nameOf({ sort, order }: Sort<string>): string {
  return `${sort}.${order}`
}
