import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../components/CopyButton.tsx'
import { settings } from '../../../start.ts'
import '../../../components/link-field.css'

/** Shows the redirect address to enter in the settings of a social login provider. */
export function RedirectAddress({ provider }: { provider: string }) {
  const { t } = useTranslation()
  const id = useId()
  const address = `${settings['general.appUrl'] || location.origin}/api/oauth/callback/${provider}`
  return (
    <div className="setting">
      <div className="setting-words">
        <label htmlFor={id}>{t('config.redirect')}</label>
        <p className="soft">{t('config.redirectText')}</p>
      </div>
      <div className="setting-field field-row">
        <input id={id} className="link-text field" readOnly dir="ltr" value={address} onFocus={(event) => event.currentTarget.select()} />
        <CopyButton text={address} />
      </div>
    </div>
  )
}
