import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { address } from '../../lib/address.ts'
import { Icon } from '../Icon.tsx'
import { linkName } from '../links/link-name.ts'
import { linksOf } from '../links/queries.ts'
import { Pager } from '../Pager.tsx'
import { Loaded } from '../Part.tsx'
import { ActivityChart } from './ActivityChart.tsx'
import { ActivityRow } from './ActivityRow.tsx'
import { activityOf, pageSize, recentActivityOf } from './queries.ts'
import './activity.css'

/** Shows the owner of a share who opened and downloaded it. It stays up to date while it is visible. */
export function ShareActivity({ shareId }: { shareId: string }) {
  const { t } = useTranslation()
  const [page, setPage] = useState(1)
  const activity = useQuery(activityOf(shareId, page))
  const recent = useQuery(recentActivityOf(shareId))
  const links = useQuery(linksOf(shareId)).data ?? []
  const nameOf = (id: string) => {
    const link = links.find((candidate) => candidate.id === id)
    return links.length < 2 ? undefined : link ? linkName(link, t) : id
  }
  return (
    <Loaded query={activity}>
      {({ entries, total }) =>
        total === 0 ? (
          <p className="soft">{t('activity.empty')}</p>
        ) : (
          <div className="activity stack">
            {recent.data && <ActivityChart entries={recent.data.entries} />}
            <ol className="activity-rows ruled" aria-live="polite">
              {entries.map((entry) => (
                <ActivityRow key={`${entry.at} ${entry.kind} ${entry.link} ${entry.file}`} entry={entry} linkName={nameOf(entry.link)} />
              ))}
            </ol>
            <Pager label={t('activity.title')} page={page} pages={Math.ceil(total / pageSize)} onChange={setPage} />
            <div>
              <Button icon={<Icon name="download" size={18} />} href={address(`/api/shares/${shareId}/activity.csv`)} download>
                {t('activity.csv')}
              </Button>
            </div>
          </div>
        )
      }
    </Loaded>
  )
}
