import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { OwnShare } from '../../../src/shares/contract.ts'
import { call } from '../../api.ts'
import { DeleteDialog } from '../../components/DeleteShareDialog.tsx'
import { UnfinishedUploads } from '../../components/files/UnfinishedUploads.tsx'
import { LinkDialog } from '../../components/LinkDialog.tsx'
import { LoadFailed } from '../../components/LoadFailed.tsx'
import { NoMatch } from '../../components/NoMatch.tsx'
import { Pager } from '../../components/Pager.tsx'
import { PageSkeleton } from '../../components/PageSkeleton.tsx'
import { Scene } from '../../components/Scene.tsx'
import { SearchField } from '../../components/SearchField.tsx'
import { useLast } from '../../lib/last.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { InfoDialog } from './InfoDialog.tsx'
import { type Dialog, ShareTable } from './ShareTable.tsx'
import '../../components/list-page.css'
import './shares.css'

const pageSize = 25

/** The page with the user's shares, newest first. */
export function MySharesPage() {
  const { t } = useTranslation()
  usePageTitle(t('shares.title'))
  const [page, setPage] = useState(1)
  const [typed, setTyped] = useState('')
  const search = useDeferredValue(typed.trim())
  const searchFor = (text: string) => {
    setTyped(text)
    setPage(1)
  }
  const shares = useQuery({ queryKey: ['shares', search, page], queryFn: () => readPage(search, page), placeholderData: keepPreviousData })
  const [opened, setOpened] = useState<{ share: OwnShare; dialog: Dialog } | null>(null)
  const shareIn = (dialog: Dialog) => (opened?.dialog === dialog ? opened.share : null)
  const linked = useLast(shareIn('link'))
  const close = () => setOpened(null)

  if (shares.isPending) return <PageSkeleton />
  if (shares.isError) return <LoadFailed title={t('shares.failed')} error={shares.error} onRetry={() => shares.refetch()} />
  const { rows, total } = shares.data
  if (total === 0 && search === '' && page === 1)
    return (
      <>
        <UnfinishedUploads />
        <NoShares />
      </>
    )
  return (
    <section className="stack">
      <header className="shares-head toolbar">
        <h1>{t('shares.title')}</h1>
        <SearchField className="shares-search" label={t('shares.search')} value={typed} onChange={searchFor} />
        <Link href="/account/reverseShares" asChild>
          <Button>{t('nav.reverseShares')}</Button>
        </Link>
        <Link href="/upload" asChild>
          <Button type="primary">{t('shares.new')}</Button>
        </Link>
      </header>
      <UnfinishedUploads />
      <p className="visually-hidden" role="status">
        {t('shares.count', { count: total })}
      </p>
      {rows.length === 0 ? (
        <NoMatch text={t('shares.noMatch')} />
      ) : (
        <ShareTable shares={rows} busy={shares.isPlaceholderData} onOpen={(share, dialog) => setOpened({ share, dialog })} />
      )}
      <Pager page={page} pages={Math.ceil(total / pageSize)} onChange={setPage} />
      <InfoDialog share={shareIn('info')} onClose={close} />
      {linked && <LinkDialog open={shareIn('link') !== null} title={t('share.link')} link={linked.link} onClose={close} />}
      <DeleteDialog share={shareIn('delete')} onClose={close} onDeleted={() => rows.length === 1 && page > 1 && setPage(page - 1)} />
    </section>
  )
}

async function readPage(search: string, page: number): Promise<{ rows: OwnShare[]; total: number }> {
  const { data, headers } = await call('GET /api/shares', { querystring: { page, limit: pageSize, files: 0, ...(search && { search }) } })
  return { rows: data, total: Number(headers.get('x-total-count') ?? data.length) }
}

function NoShares() {
  const { t } = useTranslation()
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
    </Scene>
  )
}
