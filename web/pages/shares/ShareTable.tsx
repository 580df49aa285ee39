import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { OwnShare, OwnSortKey } from '../../../src/shares/contract.ts'
import { CardTable } from '../../components/CardTable.tsx'
import { Icon } from '../../components/Icon.tsx'
import type { IconName } from '../../components/icon-paths.ts'
import { RowButton } from '../../components/RowList.tsx'
import type { Sort } from '../../components/sorting/sort.ts'
import { sortColumns } from '../../components/sorting/sort-columns.tsx'
import { ExpirationText, KeptText, TimeText } from '../../components/TimeText.tsx'
import { useOwnTitle, useOwnTitles } from '../../lib/encryption/own-titles.ts'
import { formatBytes } from '../../lib/format.ts'
import { sortKeys, type View } from './list.ts'
import { SharePictures } from './SharePictures.tsx'
import type { Selection } from './use-selection.ts'
import { Visits } from './Visits.tsx'

/** The dialogs that a row can open. */
export type Dialog = 'info' | 'link' | 'reopen'
const dialogs: { dialog: 'info' | 'link'; icon: IconName }[] = [
  { dialog: 'info', icon: 'info' },
  { dialog: 'link', icon: 'link' },
]

const labels: Record<OwnSortKey, string> = {
  name: 'shares.name',
  views: 'shares.visitors',
  size: 'shares.size',
  expiration: 'shares.expires',
  createdAt: 'shares.created',
}

const cells: Record<OwnSortKey, (share: OwnShare) => ReactNode> = {
  name: (share) => <ShareName share={share} />,
  views: (share) => <Visits share={share} />,
  size: ({ size }) => formatBytes(size),
  expiration: ({ expiration, keptUntil }) =>
    keptUntil === null ? <ExpirationText expiration={expiration} relative /> : <KeptText until={keptUntil} />,
  createdAt: ({ createdAt }) => <TimeText iso={createdAt} />,
}

interface Props {
  shares: OwnShare[]
  /** Whether another page is loading. */
  busy: boolean
  view: View
  grid: boolean
  selection: Selection<OwnShare>
  onSort(sort: Sort<OwnSortKey>): void
  onOpen(share: OwnShare, dialog: Dialog): void
  onDelete(share: OwnShare): void
}

/** Lists shares in a table whose columns sort, or in a grid. On a phone, each row is a card. */
export function ShareTable({ shares, busy, view, grid, selection, onSort, onOpen, onDelete }: Props) {
  const { t } = useTranslation()
  const titleOf = useOwnTitles(shares)
  return (
    <CardTable
      columns={sortColumns(t, { keys: sortKeys, labels, cells, sort: view, onSort })}
      rows={shares}
      busy={busy}
      cards={grid}
      selection={{ ...selection, labelOf: (share) => t('shares.select', { name: titleOf(share) }) }}
      actions={(share) => <ShareActions share={share} onOpen={(dialog) => onOpen(share, dialog)} onDelete={() => onDelete(share)} />}
    />
  )
}

function ShareName({ share }: { share: OwnShare }) {
  const { t } = useTranslation()
  const title = useOwnTitle(share)
  return (
    <div className="share-heading">
      <SharePictures share={share} />
      <div className="words">
        <Link href={`/share/${share.id}`} className="share-name quiet-link">
          <bdi className="own-words">{title}</bdi>
          {share.security.passwordProtected && (
            <span role="img" title={t('shares.protected')} aria-label={t('shares.protected')}>
              <Icon name="lock" size={16} />
            </span>
          )}
        </Link>
        {share.editing && <span className="tag share-editing">{t('shares.editing')}</span>}
        <span className="share-sub small soft own-words">{[share.id, share.description].filter(Boolean).join(' · ')}</span>
      </div>
    </div>
  )
}

interface ActionProps {
  share: OwnShare
  onOpen(dialog: Dialog): void
  onDelete(): void
}

function ShareActions({ share, onOpen, onDelete }: ActionProps) {
  const { t } = useTranslation()
  const name = useOwnTitle(share)
  if (share.keptUntil !== null)
    return (
      <>
        <RowButton icon="undo" title={t('shares.reopen')} label={t('shares.reopenOf', { name })} onClick={() => onOpen('reopen')} />
        <RowButton icon="trash" danger title={t('shares.deleteNow')} label={t('shares.deleteOf', { name })} onClick={onDelete} />
      </>
    )
  return (
    <>
      {!share.received && (
        <Link href={`/share/${share.id}/edit`} className="icon-button" title={t('shares.edit')} aria-label={t('shares.editOf', { name })}>
          <Icon name="pencil" />
        </Link>
      )}
      {dialogs.map(({ dialog, icon }) => (
        <RowButton
          key={dialog}
          icon={icon}
          title={t(`shares.${dialog}`)}
          label={t(`shares.${dialog}Of`, { name })}
          onClick={() => onOpen(dialog)}
        />
      ))}
      <RowButton icon="trash" danger title={t('shares.delete')} label={t('shares.deleteOf', { name })} onClick={onDelete} />
    </>
  )
}
