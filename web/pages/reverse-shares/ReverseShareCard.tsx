import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OwnReverseShare } from '../../../src/reverse-shares/contract.ts'
import { CopyButton } from '../../components/CopyButton.tsx'
import { Icon } from '../../components/Icon.tsx'
import { ExpirationText } from '../../components/TimeText.tsx'
import { typesText } from '../../lib/allowed-types.ts'
import { formatBytes, isNever } from '../../lib/format.ts'
import type { OpenedDialog } from './Dialogs.tsx'
import { ReceivedShares } from './ReceivedShares.tsx'
import { ReverseShareActions } from './ReverseShareActions.tsx'
import { UploadLinkActivity } from './UploadLinkActivity.tsx'

interface Props {
  reverse: OwnReverseShare
  onOpen(opened: OpenedDialog): void
}

/** Shows a reverse share with its link and the shares received through it. */
export function ReverseShareCard({ reverse, onOpen }: Props) {
  const { t } = useTranslation()
  const { id, link, enabled, remainingUses, maxUseCount, shareExpiration, maxShareSize, maxTotalSize, shareCount } = reverse
  const name = reverse.name ?? t('reverse.link')
  const isOpen = remainingUses !== 0
  return (
    <li className="card reverse stack" aria-labelledby={`reverse-${id}`}>
      <header className="reverse-head line">
        <div className="reverse-words words">
          <h2 id={`reverse-${id}`}>
            {name} {!enabled && <span className="tag">{t('links.state.off')}</span>}
          </h2>
          <p className="facts soft">
            {maxUseCount !== null && (
              <span>
                {isOpen ? t('reverse.usesLeft', { left: remainingUses, count: maxUseCount }) : t('reverse.usedUp', { count: maxUseCount })}
              </span>
            )}
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
            {maxTotalSize && <span>{t('reverse.maxTotal', { size: formatBytes(Number(maxTotalSize)) })}</span>}
          </p>
        </div>
        <ReverseShareActions reverse={reverse} name={name} onOpen={onOpen} />
      </header>
      <Options reverse={reverse} />
      {isOpen && (
        <div className="reverse-link line">
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
      {shareCount === 0 ? (
        <p className="soft reverse-none">{t('reverse.nothingYet')}</p>
      ) : (
        <ReceivedShares reverse={reverse} onOpen={onOpen} />
      )}
      <ActivityPart id={id} name={name} />
    </li>
  )
}

/** The activity of an upload link, which is loaded once the user asks for it. */
function ActivityPart({ id, name }: { id: string; name: string }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  return (
    <div className="reverse-activity stack">
      <button type="button" className="text-button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="pulse" size={18} />
        <span>
          {t('activity.title')} <span className="visually-hidden">{name}</span>
        </span>
      </button>
      {open && <UploadLinkActivity id={id} name={name} />}
    </div>
  )
}

/** Shows the options that differ from a plain reverse share. */
function Options({ reverse }: { reverse: OwnReverseShare }) {
  const { t } = useTranslation()
  const options = optionsOf(t, reverse)
  return (
    options.length > 0 && (
      <ul className="reverse-wishes toolbar" aria-label={t('reverse.options')}>
        {options.map((option) => (
          <li key={option}>{option}</li>
        ))}
      </ul>
    )
  )
}

function optionsOf(
  t: TFunction,
  { simplified, publicAccess, hasPassword, sendEmailNotification, allowedTypes }: OwnReverseShare,
): string[] {
  return [
    simplified && t('reverse.simplified'),
    !publicAccess && t('reverse.private'),
    hasPassword && t('shares.protected'),
    sendEmailNotification && t('reverse.notifies'),
    allowedTypes.length > 0 && t('send.types', { types: typesText(t, allowedTypes) }),
  ].filter((option) => option !== false)
}
