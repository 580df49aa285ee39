import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { UserDTO } from '../../../src/users/contract.ts'
import { ConfirmationProvider } from '../../components/Confirmation.tsx'
import { LoadFailed } from '../../components/LoadFailed.tsx'
import { NoMatch } from '../../components/NoMatch.tsx'
import { Pager } from '../../components/Pager.tsx'
import { PageSkeleton } from '../../components/PageSkeleton.tsx'
import { SearchField } from '../../components/SearchField.tsx'
import { usePageTitle } from '../../lib/page-title.ts'
import { AdminHead } from './AdminHead.tsx'
import { pageSize, usersPage } from './users/page.ts'
import { type UserAction, UserDialogs } from './users/UserDialogs.tsx'
import { UserTable } from './users/UserTable.tsx'
import '../../components/list-page.css'
import './admin.css'
import './users/users.css'

/** Lists all accounts, with dialogs to create, change and delete them. */
export function UsersPage() {
  const { t } = useTranslation()
  usePageTitle(t('users.title'))
  const [page, setPage] = useState(1)
  const [typed, setTyped] = useState('')
  const search = useDeferredValue(typed.trim())
  const searchFor = (text: string) => {
    setTyped(text)
    setPage(1)
  }
  const users = useQuery({ ...usersPage(search, page), placeholderData: keepPreviousData })
  const [opened, setOpened] = useState<{ action: UserAction; user: UserDTO | null } | null>(null)

  if (users.isPending) return <PageSkeleton />
  if (users.isError) return <LoadFailed title={t('users.failed')} error={users.error} onRetry={() => users.refetch()} />
  const { rows, total } = users.data
  return (
    <section className="stack">
      <AdminHead title={t('users.title')} text={t('users.count', { count: total })}>
        <div className="list-tools">
          <SearchField label={t('users.search')} value={typed} onChange={searchFor} />
          <Button type="primary" onClick={() => setOpened({ action: 'create', user: null })}>
            {t('users.create')}
          </Button>
        </div>
      </AdminHead>
      <p className="visually-hidden" role="status">
        {t('users.count', { count: total })}
      </p>
      {rows.length === 0 ? (
        <NoMatch text={t('users.noMatch')} />
      ) : (
        <UserTable users={rows} busy={users.isPlaceholderData} onOpen={(user, action) => setOpened({ action, user })} />
      )}
      <Pager page={page} pages={Math.ceil(total / pageSize)} onChange={setPage} />
      <ConfirmationProvider>
        <UserDialogs opened={opened} onClose={() => setOpened(null)} onDeleted={() => rows.length === 1 && page > 1 && setPage(page - 1)} />
      </ConfirmationProvider>
    </section>
  )
}
