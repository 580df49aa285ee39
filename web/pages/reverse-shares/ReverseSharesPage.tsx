import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LoadFailed } from '../../components/LoadFailed.tsx'
import { Pager } from '../../components/Pager.tsx'
import { PageSkeleton } from '../../components/PageSkeleton.tsx'
import { Scene } from '../../components/Scene.tsx'
import { VerifyEmailNotice } from '../../components/VerifyEmailNotice.tsx'
import { usePageTitle } from '../../lib/page-title.ts'
import { Dialogs, type OpenedDialog } from './Dialogs.tsx'
import { useRefresh, useReverseShares } from './queries.ts'
import { ReverseShareCard } from './ReverseShareCard.tsx'
import { ReverseShareDialog } from './ReverseShareDialog.tsx'
import '../../components/list-page.css'
import './reverse-shares.css'

/** The page with the user's reverse shares and what was received through them, newest first. */
export function ReverseSharesPage() {
  const { t } = useTranslation()
  usePageTitle(t('reverse.title'))
  const refresh = useRefresh()
  const [page, setPage] = useState(1)
  const list = useReverseShares(page)
  const [opened, setOpened] = useState<OpenedDialog | null>(null)
  const close = () => setOpened(null)
  const create = () => setOpened({ dialog: 'create' })
  const editing = opened?.dialog === 'edit' ? opened.reverse : null
  const onSaved = (link: string) => {
    void refresh()
    if (editing) return close()
    setPage(1)
    setOpened({ dialog: 'link', title: t('reverse.made'), link, note: t('reverse.linkNote') })
  }

  if (list.isPending) return <PageSkeleton />
  if (!list.data) return <LoadFailed title={t('reverse.failed')} error={list.error} onRetry={() => list.refetch()} />
  const { rows, total, pages } = list.data
  if (page > pages) setPage(pages)
  return (
    <section className="stack">
      <VerifyEmailNotice />
      {total === 0 ? (
        <NoReverseShares onCreate={create} />
      ) : (
        <>
          <header className="shares-head toolbar">
            <div className="reverse-title">
              <h1>{t('reverse.title')}</h1>
              <p className="soft">{t('reverse.text')}</p>
            </div>
            <Button type="primary" onClick={create}>
              {t('reverse.new')}
            </Button>
          </header>
          <ul className="stack" aria-busy={list.isPlaceholderData}>
            {rows.map((reverse) => (
              <ReverseShareCard key={reverse.id} reverse={reverse} onOpen={setOpened} />
            ))}
          </ul>
          <Pager page={page} pages={pages} onChange={setPage} />
        </>
      )}
      <ReverseShareDialog
        reverse={editing}
        open={opened?.dialog === 'create' || opened?.dialog === 'edit'}
        onDone={onSaved}
        onClose={close}
      />
      <Dialogs opened={opened} onOpen={setOpened} onClose={close} />
    </section>
  )
}

function NoReverseShares({ onCreate }: { onCreate(): void }) {
  const { t } = useTranslation()
  return (
    <Scene files={3} title={t('reverse.empty')} text={t('reverse.emptyText')}>
      <Button type="primary" size="large" onClick={onCreate}>
        {t('reverse.first')}
      </Button>
    </Scene>
  )
}
