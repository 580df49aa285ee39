import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { UploadLinkActivity as Entry } from '../../../src/reverse-shares/activity/contract.ts'
import { ActivityItem } from '../../components/activity/ActivityItem.tsx'
import { ActivityList } from '../../components/activity/ActivityList.tsx'
import type { IconName } from '../../components/icon-paths.ts'
import { Loaded } from '../../components/Part.tsx'
import { formatBytes } from '../../lib/format.ts'
import { activityOf } from './queries.ts'

const icons: Record<Entry['kind'], IconName> = { opened: 'eye', begun: 'share', received: 'check', refused: 'lock' }

/** Shows the owner of a reverse share who opened its link and sent files through it. */
export function UploadLinkActivity({ id, name }: { id: string; name: string }) {
  const { t } = useTranslation()
  const [page, setPage] = useState(1)
  return (
    <Loaded query={useQuery(activityOf(id, page))}>
      {({ entries, total }) =>
        total === 0 ? (
          <p className="soft">{t('reverse.activity.empty')}</p>
        ) : (
          <ActivityList
            label={`${t('activity.title')}: ${name}`}
            total={total}
            csv={`/api/reverseShares/${id}/activity.csv`}
            page={page}
            onPage={setPage}
          >
            {entries.map((entry) => (
              <ActivityItem
                key={`${entry.at} ${entry.kind} ${entry.share} ${entry.reason}`}
                icon={icons[entry.kind]}
                kind={entry.kind === 'received' ? 'downloaded' : entry.kind}
                entry={entry}
                facts={
                  entry.senderName &&
                  entry.senderEmail && (
                    <span>
                      <bdi>{showInvisible(entry.senderEmail)}</bdi>
                    </span>
                  )
                }
              >
                {textOf(entry, t)}
              </ActivityItem>
            ))}
          </ActivityList>
        )
      }
    </Loaded>
  )
}

function textOf({ kind, senderName, senderEmail, files = 0, bytes = 0, reason }: Entry, t: TFunction): string {
  if (kind === 'opened') return t('activity.opened')
  if (kind === 'refused') return t('activity.refused', { reason: t(`reverse.activity.reason.${reason}`) })
  const name = showInvisible(senderName ?? senderEmail ?? t('reverse.somebody'))
  if (kind === 'begun') return t('reverse.activity.begun', { name })
  return t('reverse.activity.received', { name, count: files, size: formatBytes(bytes) })
}
