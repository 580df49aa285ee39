import { useTranslation } from 'react-i18next'
import { address } from '../lib/address.ts'
import { Scene } from './Scene.tsx'

/** Replaces a page that failed unexpectedly. */
export function CrashView() {
  const { t } = useTranslation()
  return (
    <Scene asleep title={t('error.internal')} text={t('crash.text')}>
      <button type="button" className="button button-primary" onClick={() => location.reload()}>
        {t('common.reload')}
      </button>
      <a className="button" href={address('/')}>
        {t('common.home')}
      </a>
    </Scene>
  )
}
