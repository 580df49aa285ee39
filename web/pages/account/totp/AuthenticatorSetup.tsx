import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../components/CopyButton.tsx'
import '../../../components/link-field.css'

interface Props {
  /** An `otpauth://` address. */
  totpAuthUrl: string
  /** In Base32. */
  totpSecret: string
  /** An image as a data URL. */
  qrCode: string
}

/**
 * Shows the secret for an authenticator: as a QR code, as a link on the same device, and as text.
 */
export function AuthenticatorSetup({ totpAuthUrl, totpSecret, qrCode }: Props) {
  const { t } = useTranslation()
  return (
    <div className="authenticator stack">
      <p className="soft">{t('account.totpScan')}</p>
      <img className="qr" src={qrCode} width="196" height="196" alt={t('account.totpQr')} />
      <a href={totpAuthUrl}>{t('account.totpOpenApp')}</a>
      <p className="soft">{t('account.totpByHand')}</p>
      <div className="authenticator-secret field-row">
        <code dir="ltr">{totpSecret.match(/.{1,4}/g)?.join(' ')}</code>
        <CopyButton text={totpSecret} />
      </div>
    </div>
  )
}
