import { useTranslation } from 'react-i18next'
import { isSecondFactorMissing } from '../../lib/access.ts'

/** Explains to administrators without a required second factor why the admin pages lead here. */
export function SecondFactorNotice() {
  const { t } = useTranslation()
  if (!isSecondFactorMissing()) return null
  return (
    <div className="notice" role="status">
      <div>
        <strong>{t('account.secondFactorRequired')}</strong>
        <p>{t('account.secondFactorRequiredText')}</p>
      </div>
    </div>
  )
}
