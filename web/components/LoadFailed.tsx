import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../api.ts'
import { signInPath } from '../lib/access.ts'
import { address } from '../lib/address.ts'
import { errorText } from '../lib/error-text.ts'
import { Scene } from './Scene.tsx'

interface Props {
  title: string
  error: unknown
  onRetry(): void
}

/** Replaces a page whose data could not be loaded. */
export function LoadFailed({ title, error, onRetry }: Props) {
  const { t } = useTranslation()
  const isSignedOut = error instanceof ApiError && error.status === 401
  return (
    <Scene asleep title={title} text={errorText(t, error)}>
      {isSignedOut ? (
        <Button type="primary" href={address(signInPath())}>
          {t('auth.signIn')}
        </Button>
      ) : (
        <Button type="primary" onClick={onRetry}>
          {t('common.retry')}
        </Button>
      )}
      <Button href={address('/')}>{t('common.home')}</Button>
    </Scene>
  )
}
