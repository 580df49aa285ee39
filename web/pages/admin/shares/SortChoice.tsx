import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { newestFirst, type Sort, sortKeys } from './page.ts'

interface Props {
  sort: Sort
  onSort(sort: Sort): void
}

/** Chooses the order of the shares on a phone, where the table has no column heads. */
export function SortChoice({ sort, onSort }: Props) {
  const { t } = useTranslation()
  const choices = sortKeys.flatMap(({ sort, first }): Sort[] => [
    { sort, order: first },
    { sort, order: first === 'asc' ? 'desc' : 'asc' },
  ])
  return (
    <Select
      className="sort-choice"
      aria-label={t('allShares.sort')}
      value={nameOf(sort)}
      options={choices.map((choice) => ({ value: nameOf(choice), label: t(`allShares.sort.${nameOf(choice)}`) }))}
      onChange={(name) => onSort(choices.find((choice) => nameOf(choice) === name) ?? newestFirst)}
    />
  )
}

function nameOf({ sort, order }: Sort): string {
  return `${sort}.${order}`
}
