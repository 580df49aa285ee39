import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'wouter'
import { providerNames } from '../../../src/oauth/limits.ts'
import { ProviderMark } from '../../components/ProviderMark.tsx'
import { start } from '../../start.ts'

/** Signing in, or up, with accounts from elsewhere: links to pages of the server, which lead on to the providers. */
export function SocialButtons({ setupCode }: { setupCode?: string | undefined }) {
  const { t } = useTranslation()
  const [search] = useSearchParams()
  const redirect = search.get('redirect')
  const parameters = new URLSearchParams({ ...(redirect !== null && { redirect }), ...(setupCode && { setupCode }) })
  const query = parameters.size > 0 ? `?${parameters}` : ''
  return (
    <ul className="social-buttons stack">
      {start.socialProviders.map((provider) => (
        <li key={provider}>
          <Button size="large" block icon={<ProviderMark provider={provider} />} href={`/api/oauth/auth/${provider}${query}`}>
            {t('auth.with', { provider: providerNames[provider] })}
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** Between two ways in. */
export function Or() {
  const { t } = useTranslation()
  return (
    <p className="auth-or line">
      <span>{t('auth.or')}</span>
    </p>
  )
}
