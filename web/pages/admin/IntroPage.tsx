import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Redirect } from 'wouter'
import { ConfirmationProvider } from '../../components/Confirmation.tsx'
import { LoadFailed } from '../../components/LoadFailed.tsx'
import { PageSkeleton } from '../../components/PageSkeleton.tsx'
import { usePageTitle } from '../../lib/page-title.ts'
import { settings } from '../../start.ts'
import { allSettings } from './config/settings.ts'
import { IntroDone } from './intro/IntroDone.tsx'
import { Introduction } from './intro/Introduction.tsx'
import './admin.css'
import './config/config.css'
import './intro/intro.css'

/**
 * Guides the first administrator through the most important settings. It is never shown again once
 * it is finished.
 */
export function IntroPage() {
  const { t } = useTranslation()
  usePageTitle(t('intro.title'))
  const [wasOpen] = useState(!settings['general.setupFinished'])
  const [isDone, setDone] = useState(false)
  const variables = useQuery({ ...allSettings, enabled: wasOpen })
  if (!wasOpen) return <Redirect to="/admin" replace />
  if (isDone) return <IntroDone />
  if (variables.isPending) return <PageSkeleton />
  if (variables.isError) return <LoadFailed title={t('config.failed')} error={variables.error} onRetry={() => variables.refetch()} />
  return (
    <ConfirmationProvider>
      <Introduction variables={variables.data} onDone={() => setDone(true)} />
    </ConfirmationProvider>
  )
}
