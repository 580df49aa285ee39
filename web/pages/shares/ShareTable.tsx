import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { showInvisible } from '../../../src/invisible-characters.ts'
import type { OwnShare } from '../../../src/shares/contract.ts'
import { CardTable, type Column } from '../../components/CardTable.tsx'
import { Icon } from '../../components/Icon.tsx'
import type { IconName } from '../../components/icon-paths.ts'
import { RowButton } from '../../components/RowList.tsx'
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
  const columns: Column<OwnShare>[] = [
    { key: 'name', label: t('shares.name'), cell: (share) => <ShareName share={share} /> },
    { key: 'visitors', label: t('shares.visitors'), cell: (share) => <Visitors share={share} /> },
    { key: 'size', label: t('shares.size'), cell: ({ size }) => formatBytes(size) },
    { key: 'expires', label: t('shares.expires'), cell: ({ expiration }) => <ExpirationText expiration={expiration} relative /> },
    { key: 'created', label: t('shares.created'), cell: ({ createdAt }) => <TimeText iso={createdAt} /> },
  ]
  return (
    <CardTable
      columns={columns}
      rows={shares}
      busy={busy}
      actions={(share) => <ShareActions share={share} onOpen={(dialog) => onOpen(share, dialog)} />}
    />
  )
}

function ShareName({ share }: { share: OwnShare }) {
  const { t } = useTranslation()
  return (
    <>
      <Link href={`/share/${share.id}`} className="share-name quiet-link">
        <bdi className="own-words">{nameOf(share)}</bdi>
        {share.security.passwordProtected && (
          <span role="img" title={t('shares.protected')} aria-label={t('shares.protected')}>
            <Icon name="lock" size={16} />
          </span>
        )}
      </Link>
      {share.editing && <span className="tag share-editing">{t('shares.editing')}</span>}
      <span className="share-sub small soft own-words">{[share.name && share.id, share.description].filter(Boolean).join(' · ')}</span>
    </>
  )
}

function Visitors({ share: { views, security } }: { share: OwnShare }) {
  const { t } = useTranslation()
  const { maxViews } = security
  return maxViews === null ? formatNumber(views) : t('shares.viewsOf', { views: formatNumber(views), max: formatNumber(maxViews) })
}

function ShareActions({ share, onOpen }: { share: OwnShare; onOpen(dialog: Dialog): void }) {
  const { t } = useTranslation()
  const name = nameOf(share)
  return (
    <>
      <Link href={`/share/${share.id}/edit`} className="icon-button" title={t('shares.edit')} aria-label={t('shares.editOf', { name })}>
        <Icon name="pencil" />
      </Link>
      {actions.map(({ dialog, ...look }) => (
        <RowButton
          key={dialog}
          {...look}
          title={t(`shares.${dialog}`)}
          label={t(`shares.${dialog}Of`, { name })}
          onClick={() => onOpen(dialog)}
        />
      ))}
    </>
  )
}

function nameOf({ name, id }: OwnShare): string {
  return showInvisible(name ?? id)
}
