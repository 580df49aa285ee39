import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { OwnReverseShare } from '../../../src/reverse-shares/contract.ts'
import { CopyButton } from '../../components/CopyButton.tsx'
import { Icon } from '../../components/Icon.tsx'
import { ExpirationText } from '../../components/TimeText.tsx'
import { typesText } from '../../lib/allowed-types.ts'
import { formatBytes, isNever } from '../../lib/format.ts'
import { Arrivals } from './Arrivals.tsx'
import type { Opened } from './Dialogs.tsx'

interface Props {
  reverse: OwnReverseShare
  onOpen(opened: Opened): void
}

/** One reverse share: what it is, its link, and what has come through it. */
export function ReverseShareCard({ reverse, onOpen }: Props) {
  const { t } = useTranslation()
  const { id, link, remainingUses, maxUseCount, shareExpiration, maxShareSize, shareCount } = reverse
  const name = reverse.name ?? t('reverse.link')
  return (
    <li className="card reverse" aria-labelledby={`reverse-${id}`}>
      <header className="reverse-head">
        <div className="reverse-words">
          <h2 id={`reverse-${id}`}>{name}</h2>
          <p className="facts soft">
            <span>
              {remainingUses > 0
                ? t('reverse.usesLeft', { left: remainingUses, count: maxUseCount })
                : t('reverse.usedUp', { count: maxUseCount })}
            </span>
            <span>
              {isNever(shareExpiration) ? (
                t('reverse.stays')
              ) : (
                <>
                  {t('share.expires')} <ExpirationText expiration={shareExpiration} relative />
                </>
              )}
            </span>
            <span>{t('reverse.maxSize', { size: formatBytes(Number(maxShareSize)) })}</span>
          </p>
        </div>
        <button
          type="button"
          className="icon-button icon-button-danger"
          title={t('common.delete')}
          aria-label={t('shares.deleteOf', { name })}
          onClick={() => onOpen({ dialog: 'delete', reverse })}
        >
          <Icon name="trash" />
        </button>
      </header>
      <Wishes reverse={reverse} />
      {remainingUses > 0 && (
        <div className="reverse-link">
          <bdi dir="ltr">{link}</bdi>
          <CopyButton text={link} />
          <button
            type="button"
            className="icon-button"
            title={t('reverse.qr')}
            aria-label={t('common.qrOf', { text: link })}
            onClick={() => onOpen({ dialog: 'link', title: name, link, note: t('reverse.linkNote') })}
          >
            <Icon name="qr" />
          </button>
        </div>
      )}
      {shareCount === 0 ? <p className="soft reverse-none">{t('reverse.nothingYet')}</p> : <Arrivals reverse={reverse} onOpen={onOpen} />}
    </li>
  )
}

/** What was chosen when it was made and is worth remembering. */
function Wishes({ reverse }: { reverse: OwnReverseShare }) {
  const { t } = useTranslation()
  const wishes = wishesOf(t, reverse)
  return (
    wishes.length > 0 && (
      <ul className="reverse-wishes" aria-label={t('reverse.options')}>
        {wishes.map((wish) => (
          <li key={wish} className="badge">
            {wish}
          </li>
        ))}
      </ul>
    )
  )
}

function wishesOf(t: TFunction, { simplified, publicAccess, hasPassword, sendEmailNotification, allowedTypes }: OwnReverseShare): string[] {
  return [
    simplified && t('reverse.simplified'),
    !publicAccess && t('reverse.private'),
    hasPassword && t('shares.protected'),
    sendEmailNotification && t('reverse.notifies'),
    allowedTypes.length > 0 && t('send.types', { types: typesText(t, allowedTypes) }),
  ].filter((wish) => wish !== false)
}
