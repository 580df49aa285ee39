import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { Activity } from '../../../src/shares/activity/contract.ts'
import { formatPercent } from '../../lib/format.ts'
import { Icon } from '../Icon.tsx'
import type { IconName } from '../icon-paths.ts'
import { TimeText } from '../TimeText.tsx'

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
  const { at, kind, device, address } = entry
  return (
    <li className="activity-row" data-kind={kind}>
      <Icon name={icons[kind]} />
      <div className="activity-words">
        <p>{textOf(entry, t)}</p>
        <p className="facts small soft">
          {linkName && (
            <span>
              <bdi>{linkName}</bdi>
            </span>
          )}
          {device && <span>{device}</span>}
          {address && <span dir="ltr">{address}</span>}
          <span>
            <TimeText iso={at} relative />
          </span>
        </p>
      </div>
    </li>
  )
}

function textOf({ kind, file, zip, bytes, size, reason }: Activity, t: TFunction): string {
  if (kind === 'opened') return t('activity.opened')
  if (kind === 'refused') return t('activity.refused', { reason: reason ? t(`error.${reason}`) : '' })
  const name = zip ? t('activity.allFiles') : showInvisible(file ?? '')
  if (kind === 'partly') return t('activity.partly', { name, percent: formatPercent(size ? (bytes ?? 0) / size : 0) })
  return t(kind === 'downloaded' ? 'activity.downloaded' : 'activity.handedOut', { name })
}
