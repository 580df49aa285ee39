import { useTranslation } from 'react-i18next'
import { Scene } from './Scene.tsx'

/** Replaces the page while the server has no database connection. */
export function Unavailable() {
  const { t } = useTranslation()
  return (
    <main className="content">
      <Scene asleep title={t('app.unavailable')} text={t('error.unavailable')}>
        <button type="button" className="button button-primary" onClick={() => location.reload()}>
          {t('common.retry')}
        </button>
      </Scene>
    </main>
  )
}
