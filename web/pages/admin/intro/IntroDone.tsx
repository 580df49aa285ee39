import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { Scene } from '../../../components/Scene.tsx'
import { settings } from '../../../start.ts'

/** The end of the introduction, with the next steps. */
export function IntroDone() {
  const { t } = useTranslation()
  return (
    <Scene files={4} title={t('intro.done.title', { name: settings['general.appName'] })} text={t('intro.done.text')}>
      <Link href="/upload" asChild>
        <Button type="primary" size="large">
          {t('intro.done.upload')}
        </Button>
      </Link>
      <Link href="/admin/config/general" asChild>
        <Button size="large">{t('intro.done.config')}</Button>
      </Link>
    </Scene>
  )
}
