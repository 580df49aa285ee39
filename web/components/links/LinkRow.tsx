import { Switch } from 'antd'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { ShareLink } from '../../../src/shares/links/contract.ts'
import { formatNumber, isNever } from '../../lib/format.ts'
import { CopyLink } from '../CopyLink.tsx'
import type { IconName } from '../icon-paths.ts'
import { RowButton } from '../RowList.tsx'
import { TimeText } from '../TimeText.tsx'
import { linkName } from './link-name.ts'

/** What can be done with a link. */
export type LinkAction = 'show' | 'edit' | 'replace' | 'delete'
const actions: { action: LinkAction; icon: IconName }[] = [
  { action: 'show', icon: 'qr' },
  { action: 'edit', icon: 'pencil' },
  { action: 'replace', icon: 'refresh' },
  { action: 'delete', icon: 'trash' },
]

interface Props {
  link: ShareLink
  /** The share if it is encrypted, so that the copied link has its key. */
  encrypted: string | undefined
  /** Whether it is being turned on or off. */
  busy: boolean
  onSwitch(enabled: boolean): void
  onAction(action: LinkAction): void
}

/** Shows one link of a share with its rules, what was used of them, and what can be done with it. */
export function LinkRow({ link, encrypted, busy, onSwitch, onAction }: Props) {
  const { t } = useTranslation()
  const name = linkName(link, t)
  const offered = actions.filter(({ action }) => !(link.first && action === 'delete'))
  return (
    <li className="link-row">
      <div className="link-words">
        <p className="link-name">
          <bdi className="own-words">{name}</bdi>
          {link.state !== 'open' && <span className="tag">{t(`links.state.${link.state}`)}</span>}
        </p>
        <LinkAddress link={link.link} />
        <p className="facts small soft">
          <span>{usedText(t, 'visits', link.views, link.maxViews)}</span>
          <span>{usedText(t, 'downloads', link.downloads, link.maxDownloads)}</span>
          {link.hasPassword && <span>{t('shares.protected')}</span>}
          {!link.first && !isNever(link.expiration) && (
            <span>
              {t('share.expires')} <TimeText iso={link.expiration} relative />
            </span>
          )}
        </p>
      </div>
      <div className="link-actions">
        <Switch checked={link.enabled} loading={busy} aria-label={t('links.switch', { name })} onChange={onSwitch} />
        <CopyLink link={link.link} encrypted={encrypted} label={t('links.copyOf', { name })} />
        {offered.map(({ action, icon }) => (
          <RowButton
            key={action}
            icon={icon}
            danger={action === 'delete'}
            title={t(`links.${action}`)}
            label={t(`links.${action}Of`, { name })}
            onClick={() => onAction(action)}
          />
        ))}
      </div>
    </li>
  )
}

/** Shows the address of a link in one line, without `https://`. */
export function LinkAddress({ link }: { link: string }) {
  return (
    <p className="link-address small soft" dir="ltr">
      {link.replace(/^https?:\/\//, '')}
    </p>
  )
}

function usedText(t: TFunction, what: 'visits' | 'downloads', used: number, max: number | null): string {
  const values = { number: formatNumber(used), max: formatNumber(max ?? 0) }
  return t(max === null ? `links.${what}` : `links.${what}Of`, values)
}
