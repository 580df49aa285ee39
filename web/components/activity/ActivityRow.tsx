import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { Activity } from '../../../src/shares/activity/contract.ts'
import { formatPercent } from '../../lib/format.ts'
import type { IconName } from '../icon-paths.ts'
import { ActivityItem } from './ActivityItem.tsx'

const icons: Record<Activity['kind'], IconName> = {
  opened: 'eye',
  downloaded: 'check',
  partly: 'download',
  'handed-out': 'share',
  refused: 'lock',
}

interface Props {
  entry: Activity
  /** What the owner calls the link, if the share has several. */
  linkName: string | undefined
}

/** Shows one entry of a share's activity: what, by whom and when. */
export function ActivityRow({ entry, linkName }: Props) {
  const { t } = useTranslation()
  return (
    <ActivityItem
      icon={icons[entry.kind]}
      kind={entry.kind}
      entry={entry}
      facts={
        linkName && (
          <span>
            <bdi>{linkName}</bdi>
          </span>
        )
      }
    >
      {textOf(entry, t)}
    </ActivityItem>
  )
}

function textOf({ kind, file, zip, bytes, size, reason }: Activity, t: TFunction): string {
  if (kind === 'opened') return t('activity.opened')
  if (kind === 'refused') return t('activity.refused', { reason: reason ? t(`error.${reason}`) : '' })
  const name = zip ? t('activity.allFiles') : showInvisible(file ?? '')
  if (kind === 'partly') return t('activity.partly', { name, percent: formatPercent(size ? (bytes ?? 0) / size : 0) })
  return t(kind === 'downloaded' ? 'activity.downloaded' : 'activity.handedOver', { name })
}
