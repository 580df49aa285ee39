import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Recipient, SharePage } from '../../../src/shares/contract.ts'
import { linkUrl } from '../../lib/base-url.ts'
import { CopyLink } from '../CopyLink.tsx'
import { Icon } from '../Icon.tsx'
import { RowButton } from '../RowList.tsx'
import { TimeText } from '../TimeText.tsx'
import { canHaveRecipients } from './addresses.ts'

/** The share that recipients belong to. */
export type AddressedShare = Pick<SharePage, 'id' | 'kind' | 'encrypted'>

const icons = { waiting: 'clock', queued: 'clock', sent: 'mail', opened: 'eye', complete: 'check', failed: 'info' } as const

interface Props {
  share: AddressedShare
  recipient: Recipient
  /** Whether an email is being queued. */
  busy: boolean
  onMail(): void
  onReplace(): void
  onRemove(): void
}

/** Shows what a recipient got, opened and downloaded, and what can be done about it. */
export function RecipientRow({ share, recipient, busy, onMail, onReplace, onRemove }: Props) {
  const { t } = useTranslation()
  const { email, state, error, link } = recipient
  const mark = markOf(recipient)
  const hasFailed = state === 'failed'
  const isMailed = hasFailed || state === 'sent'
  return (
    <li className={`recipient recipient-${mark}`}>
      <span className="recipient-mark tile">
        <Icon name={icons[mark]} size={18} />
      </span>
      <div className="recipient-words lines">
        <bdi className="own-words">{email}</bdi>
        {hasFailed && (
          <p className="recipient-why small">{error ? t('recipients.failedBecause', { reason: error }) : t('recipients.state.failed')}</p>
        )}
        <p className="facts small soft">
          {factsOf(t, recipient, share).map(({ text, at }) => (
            <span key={text}>
              {text} {at && <TimeText iso={at} relative />}
            </span>
          ))}
        </p>
      </div>
      <div className="recipient-actions">
        {link !== null && (
          <CopyLink
            link={linkUrl(link)}
            encrypted={share.encrypted ? share.id : undefined}
            title={t('recipients.copyLink')}
            label={t('recipients.copyLinkOf', { email })}
          />
        )}
        {isMailed && canHaveRecipients() && (
          <RowButton
            icon="mail"
            title={t(hasFailed ? 'common.retry' : 'recipients.mailAgain')}
            label={t('recipients.retryOf', { email })}
            disabled={busy}
            onClick={onMail}
          />
        )}
        {link !== null && (
          <RowButton icon="refresh" title={t('recipients.replace')} label={t('recipients.replaceOf', { email })} onClick={onReplace} />
        )}
        <RowButton icon="trash" danger title={t('edit.remove')} label={t('recipients.remove', { email })} onClick={onRemove} />
      </div>
    </li>
  )
}

function markOf({ state, openedAt, downloaded }: Recipient): keyof typeof icons {
  if (downloaded === 'all') return 'complete'
  return state === 'sent' && openedAt !== null ? 'opened' : state
}

interface Fact {
  text: string
  at?: string | null
}

function factsOf(t: TFunction, recipient: Recipient, { kind }: AddressedShare): Fact[] {
  const { state, sentAt, openedAt, downloaded, verifyEmail } = recipient
  const isUnopened = downloaded === 'none' && state === 'sent' && openedAt === null
  return [
    ...(state === 'failed' ? [] : [{ text: t(`recipients.state.${state}`), at: sentAt }]),
    ...(openedAt === null ? [] : [{ text: t('recipients.opened'), at: openedAt }]),
    ...(isUnopened ? [{ text: t('recipients.notOpened') }] : []),
    ...(kind === 'text' ? [] : downloadFactsOf(t, recipient)),
    ...(verifyEmail ? [{ text: t('recipients.confirms') }] : []),
  ]
}

function downloadFactsOf(t: TFunction, { openedAt, downloaded, downloadedAt, handedOut }: Recipient): Fact[] {
  if (downloaded === 'all' || downloaded === 'some') return [{ text: t(`recipients.downloaded.${downloaded}`), at: downloadedAt }]
  if (handedOut) return [{ text: t('recipients.handedOver') }]
  return downloaded === 'none' && openedAt !== null ? [{ text: t('recipients.downloaded.none') }] : []
}
