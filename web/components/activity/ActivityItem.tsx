import type { ReactNode } from 'react'
import type { Activity } from '../../../src/shares/activity/contract.ts'
import { Icon } from '../Icon.tsx'
import type { IconName } from '../icon-paths.ts'
import { TimeText } from '../TimeText.tsx'

interface Props {
  icon: IconName
  /** Decides the color of the icon. */
  kind: string
  entry: Pick<Activity, 'at' | 'device' | 'address'>
  /** Facts before the device, the address and the time. */
  facts?: ReactNode
  children: ReactNode
}

/** Shows one entry of activity: what, by whom and when. */
export function ActivityItem({ icon, kind, entry: { at, device, address }, facts, children }: Props) {
  return (
    <li className="activity-row" data-kind={kind}>
      <Icon name={icon} />
      <div className="activity-words">
        <p>{children}</p>
        <p className="facts small soft">
          {facts}
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
