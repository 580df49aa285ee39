import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LoadFailed } from '../../components/LoadFailed.tsx'
import { NoMatch } from '../../components/NoMatch.tsx'
import { Pager } from '../../components/Pager.tsx'
import { PageSkeleton } from '../../components/PageSkeleton.tsx'
import { Razorbill } from '../../components/Razorbill.tsx'
import { SearchField } from '../../components/SearchField.tsx'
import { SortChoice } from '../../components/sorting/SortChoice.tsx'
import type { Sort } from '../../components/sorting/sort.ts'
import { formatNumber } from '../../lib/format.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { AdminHead } from './AdminHead.tsx'
import { AllSharesTable } from './shares/AllSharesTable.tsx'
import { DeleteDialog } from './shares/DeleteDialog.tsx'
import { type AnyShare, newestFirst, pageSize, type SortKey, sharesPage, sortKeys } from './shares/page.ts'
import '../../components/list-page.css'
import './admin.css'
import './shares/all-shares.css'

/** The shares of all users and those without an account. */
export function AllSharesPage() {
  const { t } = useTranslation()
  usePageTitle(t('allShares.title'))
  const [page, setPage] = useState(1)
  const [sort, setSort] = useState(newestFirst)
  const [typed, setTyped] = useState('')
  const search = useDeferredValue(typed.trim())
  const searchFor = (text: string) => {
    setTyped(text)
    setPage(1)
  }
  const shares = useQuery({ ...sharesPage({ page, search, sort }), placeholderData: keepPreviousData })
  const [deleting, setDeleting] = useState<AnyShare | null>(null)
  const sortBy = (newSort: Sort<SortKey>) => {
    setSort(newSort)
    setPage(1)
  }

  if (shares.isPending) return <PageSkeleton />
  if (shares.isError) return <LoadFailed title={t('allShares.failed')} error={shares.error} onRetry={() => shares.refetch()} />
  const { rows, total, isMore } = shares.data
  const count = isMore ? t('allShares.moreThan', { count: formatNumber(total) }) : t('shares.count', { count: total })
  if (total === 0 && search === '' && page === 1) return <NoShares />
  return (
    <section className="stack">
      <AdminHead title={t('allShares.title')} text={count}>
        <div className="list-tools all-shares-tools">
          <SearchField label={t('allShares.search')} value={typed} onChange={searchFor} />
          <SortChoice keys={sortKeys} sort={sort} onSort={sortBy} />
        </div>
      </AdminHead>
      <p className="visually-hidden" role="status">
        {count}
      </p>
      {rows.length === 0 ? (
        <NoMatch text={t('shares.noMatch')} />
      ) : (
        <AllSharesTable shares={rows} busy={shares.isPlaceholderData} sort={sort} onSort={sortBy} onDelete={setDeleting} />
      )}
      <Pager page={page} pages={Math.ceil(total / pageSize)} onChange={setPage} />
      <DeleteDialog
        share={deleting}
        onClose={() => setDeleting(null)}
        onDeleted={() => rows.length === 1 && page > 1 && setPage(page - 1)}
      />
    </section>
  )
}

function NoShares() {
  const { t } = useTranslation()
  return (
    <section className="stack">
      <AdminHead title={t('allShares.title')} />
      <div className="card no-match stack">
        <Razorbill className="no-match-picture" />
        <h2>{t('allShares.empty')}</h2>
        <p className="soft">{t('allShares.emptyText')}</p>
      </div>
    </section>
  )
}
