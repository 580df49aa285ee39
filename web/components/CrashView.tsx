import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Scene } from './Scene.tsx'

/** In place of a page that failed unexpectedly. */
export function CrashView() {
  const { t } = useTranslation()
  return (
    <Scene asleep title={t('error.internal')} text={t('crash.text')}>
      <Button type="primary" onClick={() => location.reload()}>
        {t('common.reload')}
      </Button>
      <Button href="/">{t('common.home')}</Button>
    </Scene>
  )
}
