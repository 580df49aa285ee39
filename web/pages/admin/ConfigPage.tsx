import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useDeferredValue, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Redirect, useLocation, useParams } from 'wouter'
import type { AdminVariable } from '../../../src/config/contract.ts'
import { ConfirmationProvider } from '../../components/Confirmation.tsx'
import { LeaveDialog } from '../../components/LeaveDialog.tsx'
import { LoadFailed } from '../../components/LoadFailed.tsx'
import { PageSkeleton } from '../../components/PageSkeleton.tsx'
import { SearchField } from '../../components/SearchField.tsx'
import { useLeaveGuard } from '../../lib/leave-guard.ts'
import { useNotify } from '../../lib/notify.tsx'
import { usePageTitle } from '../../lib/page-title.ts'
import { AdminHead } from './AdminHead.tsx'
import { CategoryNav } from './config/CategoryNav.tsx'
import { type Category, categoryOf, isCategory } from './config/groups.ts'
import { SaveBar } from './config/SaveBar.tsx'
import { SearchResults } from './config/SearchResults.tsx'
import { fieldId } from './config/Setting.tsx'
import { SettingGroups } from './config/SettingGroups.tsx'
import { allSettings } from './config/settings.ts'
import { TestEmail } from './config/TestEmail.tsx'
import { useDrafts } from './config/use-drafts.ts'
import './admin.css'
import './config/config.css'

/** The settings of one category. Changes in several categories are saved together. */
export function ConfigPage() {
  const { t } = useTranslation()
  const { category } = useParams<{ category: string }>()
  const variables = useQuery(allSettings)
  usePageTitle(t('config.title'))
  if (!isCategory(category)) return <Redirect to="/admin/config/general" replace />
  if (variables.isPending) return <PageSkeleton />
  if (variables.isError) return <LoadFailed title={t('config.failed')} error={variables.error} onRetry={() => variables.refetch()} />
  return (
    <ConfirmationProvider>
      <Configuration category={category} variables={variables.data} />
    </ConfirmationProvider>
  )
}

function Configuration({ category, variables }: { category: Category; variables: AdminVariable[] }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const search = useDeferredValue(typed.trim())
  const form = useDrafts(variables, {
    onSaved: () => notify.success(t('config.saved')),
    onProblem: ({ key }) => {
      if (document.getElementById(fieldId(key))) return
      setTyped('')
      navigate(`/admin/config/${categoryOf(key)}`)
    },
  })
  const changed = Object.keys(form.drafts)
  const guard = useLeaveGuard(changed.length > 0, isConfigPath)
  useFocusOn(form.problem?.key ?? null, search || category)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (changed.length > 0 && !form.saving) form.save()
  }
  return (
    <section className="stack">
      <AdminHead title={t('config.title')}>
        <SearchField className="config-search" label={t('config.search')} value={typed} onChange={setTyped} />
      </AdminHead>
      <div className="config-body">
        <CategoryNav current={search ? null : category} changed={changed} onOpen={() => setTyped('')} />
        <div className="config-main">
          {!search && (
            <header className="config-head">
              <h2>{t(`config.category.${category}`)}</h2>
              <p className="soft">{t(`config.category.${category}Text`)}</p>
            </header>
          )}
          <form id={formId} className="config-form" noValidate autoComplete="off" onSubmit={submit}>
            {search ? (
              <SearchResults search={search} variables={variables} form={form} />
            ) : (
              <SettingGroups category={category} variables={variables.filter(({ key }) => categoryOf(key) === category)} form={form} />
            )}
          </form>
          {!search && category === 'smtp' && <TestEmail enabled={isOn(variables, 'smtp.enabled')} unsaved={changed.some(isMailSetting)} />}
          <SaveBar form={form} formId={formId} />
        </div>
      </div>
      <LeaveDialog open={guard.destination !== null} text={t('config.leaveText')} onLeave={guard.confirm} onStay={guard.stay} />
    </section>
  )
}

const formId = 'configuration'
const isConfigPath = (path: string) => path.startsWith('/admin/config/')
const isMailSetting = (key: string) => key.startsWith('smtp.')

function isOn(variables: AdminVariable[], key: string): boolean {
  return variables.find((variable) => variable.key === key)?.value === true
}

/** Focuses the field of a setting that the server refused. */
function useFocusOn(key: string | null, shown: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field may not be shown yet
  useEffect(() => {
    if (key) document.getElementById(fieldId(key))?.focus()
  }, [key, shown])
}
