import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'wouter'
import { returnPath } from '../../access.ts'
import { Scene } from '../../components/Scene.tsx'
import { usePageTitle } from '../../page-title.ts'

/** Where other pages of the server send a browser when something fails: `?error={key}&params={provider}&redirect={path}`. Only known keys have a text. */
export function ErrorPage() {
  const { t } = useTranslation()
  usePageTitle(t('crash.title'))
  const [search] = useSearchParams()
  const [provider = ''] = (search.get('params') ?? '').split(',')
  return (
    <Scene
      asleep
      title={t('crash.title')}
      text={t([`error.${search.get('error')}`, 'error.internal'], { provider: provider.slice(0, 50) })}
    >
      <Link href={search.has('redirect') ? returnPath() : '/'} asChild>
        <Button type="primary">{t('common.back')}</Button>
      </Link>
    </Scene>
  )
}
