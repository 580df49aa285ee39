import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { address } from '../../lib/address.ts'
import { Icon } from '../Icon.tsx'
import { Pager } from '../Pager.tsx'
import { pageSize } from './queries.ts'
import './activity.css'

interface Props {
  /** Shown above the entries. */
  chart?: ReactNode
  /** Name of the list for screen readers. */
  label: string
  /** Entries on all pages. */
  total: number
  /** The path of the table for download. */
  csv: string
  page: number
  onPage(page: number): void
  /** The entries of the page. */
  children: ReactNode
}

/** Lists one page of activity, the newest first. */
export function ActivityList({ chart, label, total, csv, page, onPage, children }: Props) {
  const { t } = useTranslation()
  return (
    <div className="activity stack">
      {chart}
      <ol className="activity-rows ruled" aria-live="polite" aria-label={label}>
        {children}
      </ol>
      <Pager label={label} page={page} pages={Math.ceil(total / pageSize)} onChange={onPage} />
      <div>
        <Button icon={<Icon name="download" size={18} />} href={address(csv)} download>
          {t('activity.csv')}
        </Button>
      </div>
    </div>
  )
}
