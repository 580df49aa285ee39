import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../components/CopyButton.tsx'
import '../../../components/link-field.css'

interface Props {
  /** otpauth:// */
  totpAuthUrl: string
  /** Base32. */
  totpSecret: string
  /** A picture as data URL. */
  qrCode: string
}

/** How an authenticator gets to know the account: by camera, by link on the same device, or by hand. */
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
