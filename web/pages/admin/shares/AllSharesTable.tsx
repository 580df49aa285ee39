import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CardTable } from '../../../components/CardTable.tsx'
import { Icon } from '../../../components/Icon.tsx'
import { RowButton } from '../../../components/RowList.tsx'
import type { Sort } from '../../../components/sorting/sort.ts'
import { sortColumns } from '../../../components/sorting/sort-columns.tsx'
import { ExpirationText, TimeText } from '../../../components/TimeText.tsx'
import { formatBytes, formatNumber } from '../../../lib/format.ts'
import { ownTitleOf } from '../../../lib/share-title.ts'
import { type AnyShare, type SortKey, sortKeys } from './page.ts'

const labels: Record<SortKey, string> = {
  name: 'shares.name',
  creator: 'allShares.creator',
  views: 'shares.visitors',
  size: 'shares.size',
  expiration: 'shares.expires',
  createdAt: 'shares.created',
}

const cells: Record<SortKey, (share: AnyShare) => ReactNode> = {
  name: (share) => <ShareName share={share} />,
  creator: (share) => <Creator share={share} />,
  views: ({ views }) => formatNumber(views),
  size: ({ size }) => formatBytes(size),
  expiration: ({ expiration }) => <ExpirationText expiration={expiration} relative />,
  createdAt: ({ createdAt }) => <TimeText iso={createdAt} />,
}

interface Props {
  shares: AnyShare[]
  /** Whether other shares are being loaded. */
  busy: boolean
  sort: Sort<SortKey>
  onSort(sort: Sort<SortKey>): void
  onDelete(share: AnyShare): void
}

/** The shares of all users as a table with columns that sort. */
export function AllSharesTable({ shares, busy, sort, onSort, onDelete }: Props) {
  const { t } = useTranslation()
  const columns = sortColumns(t, { keys: sortKeys, labels, cells, sort, onSort })
  return (
    <CardTable
      className="all-shares"
      columns={columns}
      rows={shares}
      busy={busy}
      actions={(share) => <ShareActions share={share} onDelete={() => onDelete(share)} />}
    />
  )
}

function ShareName({ share }: { share: AnyShare }) {
  const { t } = useTranslation()
  const name = <bdi>{ownTitleOf(share, t)}</bdi>
  return (
    <>
      <span className="share-name quiet-link">
        {share.completed ? (
          <a href={share.link} target="_blank" rel="noreferrer" className="share-name quiet-link">
            {name}
          </a>
        ) : (
          name
        )}
        {!share.completed && <span className="badge">{t('allShares.uploading')}</span>}
      </span>
      <span className="share-sub small soft">{[share.id, share.description].filter(Boolean).join(' · ')}</span>
    </>
  )
}

function Creator({ share: { creator } }: { share: AnyShare }) {
  const { t } = useTranslation()
  return creator ? <bdi className="share-creator">{creator.username}</bdi> : <span className="soft">{t('allShares.noAccount')}</span>
}

function ShareActions({ share, onDelete }: { share: AnyShare; onDelete(): void }) {
  const { t } = useTranslation()
  const name = ownTitleOf(share, t)
  return (
    <>
      {share.completed && (
        <a
          className="icon-button"
          href={share.link}
          target="_blank"
          rel="noreferrer"
          title={t('allShares.open')}
          aria-label={t('allShares.openOf', { name })}
        >
          <Icon name="eye" />
        </a>
      )}
      <RowButton icon="trash" danger title={t('shares.delete')} label={t('shares.deleteOf', { name })} onClick={onDelete} />
    </>
  )
}
