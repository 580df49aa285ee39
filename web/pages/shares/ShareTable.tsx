// biome-ignore-all lint/a11y/noRedundantRoles: Safari drops the roles of a table that is laid out as blocks

import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { OwnShare } from '../../../src/shares/contract.ts'
import { Icon } from '../../components/Icon.tsx'
import type { IconName } from '../../components/icon-paths.ts'
import { ExpirationText, TimeText } from '../../components/TimeText.tsx'
import { formatBytes, formatNumber } from '../../lib/format.ts'

/** The dialogs that a row can open. */
export type Dialog = 'info' | 'link' | 'delete'
const actions: { dialog: Dialog; icon: IconName; danger?: boolean }[] = [
  { dialog: 'info', icon: 'info' },
  { dialog: 'link', icon: 'link' },
  { dialog: 'delete', icon: 'trash', danger: true },
]

interface Props {
  shares: OwnShare[]
  /** Whether another page is loading. */
  busy: boolean
  onOpen(share: OwnShare, dialog: Dialog): void
}

/** Lists shares in a table. On a phone, each row is a card. */
export function ShareTable({ shares, busy, onOpen }: Props) {
  const { t } = useTranslation()
  const heads = ['name', 'visitors', 'size', 'expires', 'created'] as const
  return (
    <div className="card share-table-card" aria-busy={busy}>
      <table className="share-table" role="table">
        <thead role="rowgroup">
          <tr role="row">
            {heads.map((head) => (
              <th key={head} scope="col" role="columnheader">
                {t(`shares.${head}`)}
              </th>
            ))}
            <th scope="col" role="columnheader">
              <span className="visually-hidden">{t('share.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody role="rowgroup">
          {shares.map((share) => (
            <ShareRow key={share.id} share={share} onOpen={(dialog) => onOpen(share, dialog)} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function ShareRow({ share, onOpen }: { share: OwnShare; onOpen(dialog: Dialog): void }) {
  const { t } = useTranslation()
  const name = showInvisible(share.name ?? share.id)
  const { maxViews, passwordProtected } = share.security
  return (
    <tr role="row">
      <th scope="row" role="rowheader">
        <Link href={`/share/${share.id}`} className="share-name">
          <bdi className="own-words">{name}</bdi>
          {passwordProtected && (
            <span role="img" title={t('shares.protected')} aria-label={t('shares.protected')}>
              <Icon name="lock" size={16} />
            </span>
          )}
        </Link>
        {share.editing && <span className="tag share-editing">{t('shares.editing')}</span>}
        <span className="share-sub soft own-words">{[share.name && share.id, share.description].filter(Boolean).join(' · ')}</span>
      </th>
      <td role="cell" data-label={t('shares.visitors')}>
        {maxViews === null
          ? formatNumber(share.views)
          : t('shares.viewsOf', { views: formatNumber(share.views), max: formatNumber(maxViews) })}
      </td>
      <td role="cell" data-label={t('shares.size')}>
        {formatBytes(share.size)}
      </td>
      <td role="cell" data-label={t('shares.expires')}>
        <ExpirationText expiration={share.expiration} relative />
      </td>
      <td role="cell" data-label={t('shares.created')}>
        <TimeText iso={share.createdAt} />
      </td>
      <td role="cell" className="share-actions">
        <Link href={`/share/${share.id}/edit`} className="icon-button" title={t('shares.edit')} aria-label={t('shares.editOf', { name })}>
          <Icon name="pencil" />
        </Link>
        {actions.map(({ dialog, icon, danger }) => (
          <button
            key={dialog}
            type="button"
            className={danger ? 'icon-button icon-button-danger' : 'icon-button'}
            title={t(`shares.${dialog}`)}
            aria-label={t(`shares.${dialog}Of`, { name })}
            onClick={() => onOpen(dialog)}
          >
            <Icon name={icon} />
          </button>
        ))}
      </td>
    </tr>
  )
}
