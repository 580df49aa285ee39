import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { Scene } from './Scene.tsx'

/** Explains that the upload of a share is not completed, and leads to the upload page. */
export function NotCompleted() {
  const { t } = useTranslation()
  return (
    <Scene asleep title={t('edit.notFinished')} text={t('edit.notFinishedText')}>
      <Link href="/upload" asChild>
        <Button type="primary">{t('nav.upload')}</Button>
      </Link>
    </Scene>
  )
}
