import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { LoadFailed } from '../../components/LoadFailed.tsx'
import { PageSkeleton } from '../../components/PageSkeleton.tsx'
import { errorText } from '../../lib/error-text.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { AdminHead } from './AdminHead.tsx'
import { Contents } from './system/Contents.tsx'
import { Jobs } from './system/Jobs.tsx'
import { Mails } from './system/Mails.tsx'
import { Parts } from './system/Parts.tsx'
import { ProxyTest } from './system/ProxyTest.tsx'
import { StorageNotes } from './system/StorageNotes.tsx'
import { StorageUse } from './system/StorageUse.tsx'
import { systemState } from './system/state.ts'
import './admin.css'
import './system/system.css'

const refreshEvery = 10_000 // ms

/** Shows whether the dependencies work, what is stored, and the jobs of the worker. */
export function SystemPage() {
  const { t } = useTranslation()
  usePageTitle(t('system.title'))
  const system = useQuery({ ...systemState, refetchInterval: refreshEvery })
  if (system.isPending) return <PageSkeleton />
  if (!system.data) return <LoadFailed title={t('system.loadFailed')} error={system.error} onRetry={() => system.refetch()} />
  const { dependencies, engines, storageWarnings, direct, storage, counts, mails, jobs } = system.data
  return (
    <section className="stack">
      <AdminHead title={t('system.title')} text={t('system.fresh')} />
      {system.isError && (
        <p className="notice notice-danger" role="alert">
          {errorText(t, system.error)}
        </p>
      )}
      <Parts dependencies={dependencies} engines={engines} />
      <StorageNotes storageWarnings={storageWarnings} direct={direct} />
      <div className="system-columns">
        <StorageUse storage={storage} />
        <Contents counts={counts} />
        <Mails mails={mails} />
      </div>
      <ProxyTest />
      <Jobs jobs={jobs} />
    </section>
  )
}
