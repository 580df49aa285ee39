import { useTranslation } from 'react-i18next'
import type { Activity } from '../../../src/shares/activity/contract.ts'
import { formatDay, formatNumber } from '../../lib/format.ts'
import { type Day, daysOf } from './days.ts'

const shownDays = 14
const height = 48 // units of the drawing, which stretches to the width of the page
const step = 20
const bar = 7

/** Shows the visits and downloads of the last 14 days as bars, and as text for screen readers. */
export function ActivityChart({ entries }: { entries: readonly Activity[] }) {
  const { t } = useTranslation()
  const days = daysOf(entries, shownDays, new Date())
  const sum = (what: 'visits' | 'downloads') => days.reduce((total, day) => total + day[what], 0)
  const largest = Math.max(1, ...days.flatMap(({ visits, downloads }) => [visits, downloads]))
  const label = t('activity.chart', { visits: formatNumber(sum('visits')), downloads: formatNumber(sum('downloads')) })
  return (
    <figure className="activity-chart">
      <svg viewBox={`0 0 ${shownDays * step} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {days.map((day, index) => (
          <Bars key={day.start.getTime()} day={day} x={index * step} largest={largest} />
        ))}
      </svg>
      <figcaption className="small soft">
        <span className="activity-key activity-visits">{t('activity.visits')}</span>
        <span className="activity-key activity-downloads">{t('activity.downloads')}</span>
        <span className="activity-span">{t('activity.days', { count: shownDays })}</span>
      </figcaption>
    </figure>
  )
}

function Bars({ day, x, largest }: { day: Day; x: number; largest: number }) {
  const { t } = useTranslation()
  const { start, visits, downloads } = day
  const scaled = (count: number) => (count / largest) * (height - 2)
  return (
    <g>
      <title>
        {t('activity.day', { day: formatDay(start.toISOString()), visits: formatNumber(visits), downloads: formatNumber(downloads) })}
      </title>
      <rect x={x} y={0} width={step} height={height} fill="none" pointerEvents="all" />
      <rect className="activity-none" x={x + 2} y={height - 1} width={step - 4} height={1} />
      <rect className="activity-visits" x={x + 2} y={height - scaled(visits)} width={bar} height={scaled(visits)} />
      <rect className="activity-downloads" x={x + 3 + bar} y={height - scaled(downloads)} width={bar} height={scaled(downloads)} />
    </g>
  )
}
