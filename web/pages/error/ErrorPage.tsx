import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'wouter'
import { isProvider, providerNames } from '../../../src/oauth/limits.ts'
import { Scene } from '../../components/Scene.tsx'
import { returnPath } from '../../lib/access.ts'
import { address } from '../../lib/address.ts'
import { usePageTitle } from '../../lib/page-title.ts'

/**
 * Shows an error that the server or a page redirected to:
 * `?error={key}&params={provider}&redirect={path}`. Unknown keys have a general text.
 */
export function ErrorPage() {
  const { t } = useTranslation()
  const [search] = useSearchParams()
  const [providerName] = (search.get('params') ?? '').split(',')
  const key = search.get('error')
  const redirect = search.get('redirect')
  const provider = isProvider(providerName) ? providerNames[providerName] : ''
  const openSecurely = key === 'cookies_refused'
  const title = openSecurely
    ? 'auth.notSignedIn'
    : !provider
      ? 'crash.title'
      : redirect === '/account'
        ? 'social.linkTitle'
        : 'social.signInTitle'
  usePageTitle(t(title, { provider }))
  const keys = provider ? [`social.error.${key}`, `error.${key}`, 'social.error.default'] : [`error.${key}`, 'error.internal']
  return (
    <Scene asleep title={t(title, { provider })} text={t(keys, { provider })}>
      {openSecurely ? (
        <Button type="primary" href={`https://${location.hostname}${address(returnPath())}`}>
          {t('auth.openSecurely')}
        </Button>
      ) : (
        <Link href={redirect === null ? '/' : returnPath()} asChild>
          <Button type="primary">{t('common.back')}</Button>
        </Link>
      )}
    </Scene>
  )
}
