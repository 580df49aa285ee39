import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { Scene } from '../../components/Scene.tsx'
import { usePageTitle } from '../../lib/page-title.ts'

/** The page for unknown paths. */
export function NotFoundPage() {
  const { t } = useTranslation()
  usePageTitle(t('notFound.title'))
  return (
    <Scene title={t('notFound.title')} text={t('notFound.text')}>
      <Link href="/" asChild>
        <Button type="primary">{t('common.home')}</Button>
      </Link>
    </Scene>
  )
}
