import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Activity } from '../../../src/shares/activity/contract.ts'
import type { OwnShare } from '../../../src/shares/contract.ts'
import { useContent } from '../../lib/encryption/use-content.ts'
import { linkName } from '../links/link-name.ts'
import { linksOf } from '../links/queries.ts'
import { Loaded } from '../Part.tsx'
import { ActivityChart } from './ActivityChart.tsx'
import { ActivityList } from './ActivityList.tsx'
import { ActivityRow } from './ActivityRow.tsx'
import { activityDaysOf, activityOf } from './queries.ts'

/** Shows the owner of a share who opened and downloaded it. It stays up to date while it is visible. */
export function ShareActivity({ share }: { share: Pick<OwnShare, 'id' | 'encrypted'> }) {
  const shareId = share.id
  const { t } = useTranslation()
  const fileNameOf = useFileNames(share)
  const [page, setPage] = useState(1)
  const activity = useQuery(activityOf(shareId, page))
  const days = useQuery(activityDaysOf(shareId))
  const links = useQuery(linksOf(shareId)).data ?? []
  const nameOf = ({ link: id, currentLink = id }: Activity) => {
    const link = links.find((candidate) => candidate.id === currentLink)
    return links.length < 2 ? undefined : link ? linkName({ ...link, id }, t) : id
  }
  return (
    <Loaded query={activity}>
      {({ entries, total }) =>
        total === 0 ? (
          <p className="soft">{t('activity.empty')}</p>
        ) : (
          <ActivityList
            chart={days.data && <ActivityChart days={days.data} />}
            label={t('activity.title')}
            total={total}
            csv={`/api/shares/${shareId}/activity.csv`}
            page={page}
            onPage={setPage}
          >
            {entries.map((entry) => (
              <ActivityRow
                key={`${entry.at} ${entry.kind} ${entry.link} ${entry.file}`}
                entry={entry.file === undefined ? entry : { ...entry, file: fileNameOf(entry.file) }}
                linkName={nameOf(entry)}
              />
            ))}
          </ActivityList>
        )
      }
    </Loaded>
  )
}

/** Returns a function that names files. The server knows random names of encrypted ones. */
function useFileNames(share: Pick<OwnShare, 'id' | 'encrypted'>): (name: string) => string {
  const { t } = useTranslation()
  const content = useContent(share)
  if (!share.encrypted) return (name) => name
  const names = new Map(content?.files.map(({ file, name }) => [file, name]))
  return (name) => names.get(name) ?? t('edit.unnamed')
}
