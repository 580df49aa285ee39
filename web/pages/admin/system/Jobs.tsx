// biome-ignore-all lint/a11y/noRedundantRoles: Safari drops the roles of a table that is laid out as blocks
import { useTranslation } from 'react-i18next'
import type { System } from '../../../../src/system/contract.ts'
import { formatNumber } from '../../../lib/format.ts'
import { FailedJobs } from './FailedJobs.tsx'

const states = ['waiting', 'active', 'delayed', 'failed'] as const

/** Shows the number of jobs by state, and the failed jobs. */
export function Jobs({ jobs }: Pick<System, 'jobs'>) {
  const { t } = useTranslation()
  if (!jobs) {
    return (
      <section className="card system-card stack" aria-labelledby="jobs">
        <h2 id="jobs">{t('system.jobs')}</h2>
        <p className="soft">{t('system.jobsUnknown')}</p>
      </section>
    )
  }
  return (
    <>
      <section className="card system-card stack" aria-labelledby="jobs">
        <h2 id="jobs">{t('system.jobs')}</h2>
        <table className="job-table" role="table">
          <thead role="rowgroup">
            <tr role="row">
              <th scope="col" role="columnheader">
                {t('system.job')}
              </th>
              {states.map((state) => (
                <th key={state} scope="col" role="columnheader">
                  {t(`system.${state}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {jobs.counts.map((counts) => (
              <tr key={counts.name} role="row">
                <th scope="row" role="rowheader">
                  {t(`system.job.${counts.name}`, counts.name)}
                </th>
                {states.map((state) => (
                  <td
                    key={state}
                    role="cell"
                    data-label={t(`system.${state}`)}
                    className={state === 'failed' && counts.failed ? 'job-failed' : ''}
                  >
                    {formatNumber(counts[state])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <FailedJobs jobs={jobs.failed} />
    </>
  )
}
