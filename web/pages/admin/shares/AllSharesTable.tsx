// biome-ignore-all lint/a11y/noRedundantRoles: Safari drops the roles of a table that is laid out as blocks

import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../../../src/invisible-characters.ts'
import { Icon } from '../../../components/Icon.tsx'
import { ExpirationText, TimeText } from '../../../components/TimeText.tsx'
import { formatBytes, formatNumber } from '../../../lib/format.ts'
import { type AnyShare, columns, type Sort, type SortKey } from './page.ts'

const labels: Record<SortKey, string> = {
  name: 'shares.name',
  creator: 'allShares.creator',
  views: 'shares.visitors',
  size: 'shares.size',
  expiration: 'shares.expires',
  createdAt: 'shares.created',
}

interface Props {
  shares: AnyShare[]
  /** Other shares are on their way. */
  busy: boolean
  sort: Sort
  onSort(sort: Sort): void
  onDelete(share: AnyShare): void
}

/** Shares as a table whose heads sort; on a phone each row is a card. */
export function AllSharesTable({ shares, busy, sort, onSort, onDelete }: Props) {
  const { t } = useTranslation()
  return (
    <div className="card share-table-card" aria-busy={busy}>
      <table className="share-table all-shares" role="table">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <SortableHead key={column.sort} column={column} sort={sort} onSort={onSort} />
            ))}
            <th scope="col" role="columnheader">
              <span className="visually-hidden">{t('share.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {shares.map((share) => (
            <Row key={share.id} share={share} onDelete={() => onDelete(share)} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function SortableHead({ column, sort, onSort }: { column: (typeof columns)[number]; sort: Sort; onSort(sort: Sort): void }) {
  const { t } = useTranslation()
  const isSorted = sort.sort === column.sort
  const next = !isSorted ? column.first : sort.order === 'asc' ? 'desc' : 'asc'
  return (
    <th scope="col" role="columnheader" aria-sort={isSorted ? (sort.order === 'asc' ? 'ascending' : 'descending') : undefined}>
      <button
        type="button"
        className="sort-head"
        data-order={isSorted ? sort.order : undefined}
        onClick={() => onSort({ sort: column.sort, order: next })}
      >
        {t(labels[column.sort])}
        <Icon name="down" size={14} />
      </button>
    </th>
  )
}

function Row({ share, onDelete }: { share: AnyShare; onDelete(): void }) {
  const { t } = useTranslation()
  const name = showInvisible(share.name ?? share.id)
  return (
    <tr role="row">
      <th scope="row" role="rowheader">
        <span className="share-name">
          {share.completed ? (
            <a href={share.link} target="_blank" rel="noreferrer" className="share-name">
              <bdi>{name}</bdi>
            </a>
          ) : (
            <bdi>{name}</bdi>
          )}
          {!share.completed && <span className="badge">{t('allShares.uploading')}</span>}
        </span>
        <span className="share-sub soft">{[share.name && share.id, share.description].filter(Boolean).join(' · ')}</span>
      </th>
      <td role="cell" data-label={t(labels.creator)} className="share-creator">
        {share.creator ? <bdi>{share.creator.username}</bdi> : <span className="soft">{t('allShares.noAccount')}</span>}
      </td>
      <td role="cell" data-label={t(labels.views)}>
        {formatNumber(share.views)}
      </td>
      <td role="cell" data-label={t(labels.size)}>
        {formatBytes(share.size)}
      </td>
      <td role="cell" data-label={t(labels.expiration)}>
        <ExpirationText expiration={share.expiration} relative />
      </td>
      <td role="cell" data-label={t(labels.createdAt)}>
        <TimeText iso={share.createdAt} />
      </td>
      <td role="cell" className="share-actions">
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
        <button
          type="button"
          className="icon-button icon-button-danger"
          title={t('shares.delete')}
          aria-label={t('shares.deleteOf', { name })}
          onClick={onDelete}
        >
          <Icon name="trash" />
        </button>
      </td>
    </tr>
  )
}
