import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'wouter'
import { providerNames } from '../../../src/oauth/limits.ts'
import { ProviderMark } from '../../components/ProviderMark.tsx'
import { address } from '../../lib/address.ts'
import { start } from '../../start.ts'

/** Links that sign in or up with a social login provider. */
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
          <Button size="large" block icon={<ProviderMark provider={provider} />} href={address(`/api/oauth/auth/${provider}${query}`)}>
            {t('auth.with', { provider: providerNames[provider] })}
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** Separates two sign-in methods. */
export function Or() {
  const { t } = useTranslation()
  return (
    <p className="auth-or line">
      <span>{t('auth.or')}</span>
    </p>
  )
}
