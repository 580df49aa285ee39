import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { OwnSortKey, ShareFilter } from '../../../src/shares/contract.ts'
import { Icon } from '../../components/Icon.tsx'
import { SortChoice } from '../../components/sorting/SortChoice.tsx'
import { filters, sortKeys, type View } from './list.ts'

interface Props {
  view: View
  onChange(change: Partial<View>): void
  grid: boolean
  onGrid(grid: boolean): void
}

/** The tools above the list: which shares it shows, in which order, and as list or grid. */
export function ListTools({ view, onChange, grid, onGrid }: Props) {
  const { t } = useTranslation()
  const options = [
    { value: 'all', label: t('shares.filter.all') },
    ...filters.map((filter) => ({ value: filter, label: t(`shares.filter.${filter}`) })),
  ]
  const filterBy = (value: string) => onChange({ filter: value === 'all' ? null : (value as ShareFilter) })
  const layout = t(`share.view.${grid ? 'list' : 'grid'}`)
  return (
    <div className="shares-tools toolbar" data-grid={grid}>
      <Select
        className="shares-filter"
        aria-label={t('shares.filter')}
        value={view.filter ?? 'all'}
        options={options}
        onChange={filterBy}
      />
      <SortChoice<OwnSortKey> keys={sortKeys} sort={view} onSort={onChange} />
      <button type="button" className="icon-button shares-layout" aria-label={layout} title={layout} onClick={() => onGrid(!grid)}>
        <Icon name={grid ? 'list' : 'grid'} />
      </button>
    </div>
  )
}
