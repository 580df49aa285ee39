import { useTranslation } from 'react-i18next'
import type { ActivityDay } from '../../../src/shares/activity/contract.ts'
import { formatDay, formatNumber } from '../../lib/format.ts'

const height = 48 // units of the drawing, which stretches to the width of the page
const step = 20
const bar = 7

interface Day {
  day: string
  visits: number
  downloads: number
}

/** Shows the visits and downloads of the last days as bars, and as text for screen readers. */
export function ActivityChart({ days: counted }: { days: readonly ActivityDay[] }) {
  const { t } = useTranslation()
  const days = counted.map(
    ({ day, opened, downloaded, 'handed-out': handedOut }): Day => ({ day, visits: opened, downloads: downloaded + handedOut }),
  )
  const sum = (what: 'visits' | 'downloads') => days.reduce((total, day) => total + day[what], 0)
  const largest = Math.max(1, ...days.flatMap(({ visits, downloads }) => [visits, downloads]))
  const label = t('activity.chart', { visits: formatNumber(sum('visits')), downloads: formatNumber(sum('downloads')) })
  return (
    <figure className="activity-chart">
      <svg viewBox={`0 0 ${days.length * step} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {days.map((day, index) => (
          <Bars key={day.day} day={day} x={index * step} largest={largest} />
        ))}
      </svg>
      <figcaption className="small soft">
        <span className="activity-key activity-visits">{t('activity.visits')}</span>
        <span className="activity-key activity-downloads">{t('activity.downloads')}</span>
        <span className="activity-span">{t('activity.days', { count: days.length })}</span>
      </figcaption>
    </figure>
  )
}

function Bars({ day: { day, visits, downloads }, x, largest }: { day: Day; x: number; largest: number }) {
  const { t } = useTranslation()
  const scaled = (count: number) => (count / largest) * (height - 2)
  return (
    <g>
      <title>
        {t('activity.day', { day: formatDay(`${day}T12:00`), visits: formatNumber(visits), downloads: formatNumber(downloads) })}
      </title>
      <rect x={x} y={0} width={step} height={height} fill="none" pointerEvents="all" />
      <rect className="activity-none" x={x + 2} y={height - 1} width={step - 4} height={1} />
      <rect className="activity-visits" x={x + 2} y={height - scaled(visits)} width={bar} height={scaled(visits)} />
      <rect className="activity-downloads" x={x + 3 + bar} y={height - scaled(downloads)} width={bar} height={scaled(downloads)} />
    </g>
  )
}
