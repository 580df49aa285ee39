import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import type { FailedJob } from '../../../../src/system/contract.ts'
import { api } from '../../../api.ts'
import { Icon } from '../../../components/Icon.tsx'
import { formatDistance } from '../../../lib/format.ts'
import { useNotify } from '../../../lib/notify.tsx'
import { systemState } from './state.ts'

/** Lists the failed jobs with the reason and a button to retry them. */
export function FailedJobs({ jobs }: { jobs: FailedJob[] }) {
  const { t } = useTranslation()
  return (
    <section className="card system-card stack" aria-labelledby="failed-jobs">
      <h2 id="failed-jobs">{t('system.failedTitle')}</h2>
      {jobs.length === 0 ? (
        <p className="soft">{t('system.noFailed')}</p>
      ) : (
        <ul className="ruled">
          {jobs.map((job) => (
            <Failed key={`${job.name} ${job.id}`} job={job} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Failed({ job }: { job: FailedJob }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const queries = useQueryClient()
  const name = t(`system.job.${job.name}`, job.name)
  const retry = useMutation({
    mutationFn: () => api('POST /api/system/jobs/:queue/:id/retry', { params: { queue: job.name, id: job.id } }),
    onSuccess: () => notify.success(t('system.retried')),
    onError: notify.error,
    onSettled: () => queries.invalidateQueries({ queryKey: systemState.queryKey }),
  })
  return (
    <li className="failed-job line">
      <div className="words">
        <p>
          <strong>{name}</strong>{' '}
          <span className="soft">{t('system.jobFailed', { count: job.attempts, time: formatDistance(job.failedAt) })}</span>
        </p>
        <samp dir="auto">{job.reason}</samp>
      </div>
      <Button
        icon={<Icon name="refresh" size={18} />}
        loading={retry.isPending}
        aria-label={t('system.retryOf', { name })}
        onClick={() => retry.mutate()}
      >
        {t('system.retry')}
      </Button>
    </li>
  )
}
