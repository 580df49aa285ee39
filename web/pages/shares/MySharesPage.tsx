import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { OwnShare } from '../../../src/shares/contract.ts'
import { ExtendDialog } from '../../components/ExtendDialog.tsx'
import { UnfinishedUploads } from '../../components/files/UnfinishedUploads.tsx'
import { LinkDialog } from '../../components/LinkDialog.tsx'
import { LoadFailed } from '../../components/LoadFailed.tsx'
import { NoMatch } from '../../components/NoMatch.tsx'
import { Pager } from '../../components/Pager.tsx'
import { PageSkeleton } from '../../components/PageSkeleton.tsx'
import { Scene } from '../../components/Scene.tsx'
import { SearchField } from '../../components/SearchField.tsx'
import { deleteOwn, useDeletion } from '../../components/use-deletion.ts'
import { useLast } from '../../lib/last.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { local } from '../../lib/storage.ts'
import { InfoDialog } from './InfoDialog.tsx'
import { ListTools } from './ListTools.tsx'
import { initialView, ownShares, pageSize, type View } from './list.ts'
import { SelectionBar } from './SelectionBar.tsx'
import { type Dialog, ShareTable } from './ShareTable.tsx'
import { useSelection } from './use-selection.ts'
import '../../components/list-page.css'
import './shares.css'

/** The page with the user's shares. */
export function MySharesPage() {
  const { t } = useTranslation()
  usePageTitle(t('shares.title'))
  const [view, setView] = useState(initialView)
  const change = (changes: Partial<View>) => setView({ ...view, page: 1, ...changes })
  const [grid, setGrid] = useStoredGrid()
  const search = useDeferredValue(view.search.trim())
  const shares = useQuery({ ...ownShares({ ...view, search }), placeholderData: keepPreviousData })
  const selection = useSelection<OwnShare>()
  const remove = useDeletion(deleteOwn, (ids) => {
    selection.toggle(selection.rows.filter(({ id }) => ids.includes(id)))
    turnBack(ids.length)
  })

  if (shares.isPending) return <PageSkeleton />
  if (shares.isError) return <LoadFailed title={t('shares.failed')} error={shares.error} onRetry={() => shares.refetch()} />
  const { rows, total } = shares.data
  if (total === 0 && search === '' && view.filter === null && view.page === 1)
    return (
      <>
        <UnfinishedUploads />
        <NoShares onShowExpired={() => change({ filter: 'expired' })} />
      </>
    )

  /** Shows the previous page if this one has become empty. */
  function turnBack(deleted: number) {
    if (deleted >= rows.length && view.page > 1) setView({ ...view, page: view.page - 1 })
  }
  return (
    <section className="stack">
      <header className="shares-head toolbar">
        <h1>{t('shares.title')}</h1>
        <SearchField className="shares-search" label={t('shares.search')} value={view.search} onChange={(search) => change({ search })} />
        <Link href="/upload" asChild>
          <Button type="primary">{t('shares.new')}</Button>
        </Link>
      </header>
      <UnfinishedUploads />
      {selection.rows.length === 0 && <ListTools view={view} onChange={change} grid={grid} onGrid={setGrid} />}
      <p className="visually-hidden" role="status">
        {t('shares.count', { count: total })}
      </p>
      <SelectionBar
        selection={selection}
        onDeleted={() => turnBack(selection.rows.filter(({ id }) => rows.some((row) => row.id === id)).length)}
      />
      {rows.length === 0 ? (
        <NoMatch text={t(search === '' ? 'shares.noneFiltered' : 'shares.noMatch')} />
      ) : (
        <ListWithDialogs
          shares={rows}
          busy={shares.isPlaceholderData}
          view={view}
          grid={grid}
          selection={selection}
          onSort={change}
          onDelete={({ id }) => remove.mutate([id])}
        />
      )}
      <Pager page={view.page} pages={Math.ceil(total / pageSize)} onChange={(page) => change({ page })} />
    </section>
  )
}

type ListProps = Omit<Parameters<typeof ShareTable>[0], 'onOpen'>

function ListWithDialogs(list: ListProps) {
  const { t } = useTranslation()
  const [opened, setOpened] = useState<{ share: OwnShare; dialog: Dialog } | null>(null)
  const shareIn = (dialog: Dialog) => (opened?.dialog === dialog ? opened.share : null)
  const linked = useLast(shareIn('link'))
  const reopened = useLast(shareIn('reopen'))
  const close = () => setOpened(null)
  return (
    <>
      <ShareTable {...list} onOpen={(share, dialog) => setOpened({ share, dialog })} />
      <InfoDialog share={shareIn('info')} onClose={close} />
      {reopened && <ExtendDialog open={shareIn('reopen') !== null} ids={[reopened.id]} reopens onDone={close} onClose={close} />}
      {linked && (
        <LinkDialog
          open={shareIn('link') !== null}
          title={t('share.link')}
          link={linked.link}
          encrypted={linked.encrypted ? linked.id : undefined}
          onClose={close}
        />
      )}
    </>
  )
}

/** Whether this browser shows the shares in a grid. */
function useStoredGrid(): [boolean, (grid: boolean) => void] {
  const [grid, setGrid] = useState(() => local.get('shares-grid') === 'true')
  const store = (grid: boolean) => {
    local.set('shares-grid', String(grid))
    setGrid(grid)
  }
  return [grid, store]
}

function NoShares({ onShowExpired }: { onShowExpired(): void }) {
  const { t } = useTranslation()
  const count = useQuery(ownShares({ ...initialView, filter: 'expired' })).data?.total ?? 0
  return (
    <Scene title={t('shares.empty')} text={t('shares.emptyText')}>
      <Link href="/upload" asChild>
        <Button type="primary" size="large">
          {t('shares.first')}
        </Button>
      </Link>
      <Link href="/account/reverseShares" asChild>
        <Button size="large">{t('nav.reverseShares')}</Button>
      </Link>
      {count > 0 && (
        <Button size="large" onClick={onShowExpired}>
          {t('shares.showExpired', { count })}
        </Button>
      )}
    </Scene>
  )
}
