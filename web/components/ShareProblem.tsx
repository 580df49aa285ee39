import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { ApiError } from '../api.ts'
import { signInPath } from '../lib/access.ts'
import { address } from '../lib/address.ts'
import { errorText } from '../lib/error-text.ts'
import { start } from '../start.ts'
import { Scene } from './Scene.tsx'

const explained = ['share_not_found', 'share_removed', 'share_max_views_exceeded', 'private_share'] as const
type Explained = (typeof explained)[number]

/** Explains why a share can't be opened, and offers the next step. */
export function ShareProblem({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const { t } = useTranslation()
  const explainedCode = explained.find((code) => error instanceof ApiError && error.code === code)
  const asksToSignIn = explainedCode === 'private_share' && !start.user
  return (
    <Scene asleep title={errorText(t, error)} text={explainedCode ? textOf(explainedCode, error as ApiError, t) : t('share.problem')}>
      {!explainedCode && (
        <button type="button" className="button button-primary" onClick={onRetry}>
          {t('common.retry')}
        </button>
      )}
      {asksToSignIn && (
        <a className="button button-primary" href={address(signInPath())}>
          {t('auth.signIn')}
        </a>
      )}
      <Link href="/" className={explainedCode && !asksToSignIn ? 'button button-primary' : 'button'}>
        {t('common.home')}
      </Link>
    </Scene>
  )
}

function textOf(code: Explained, { details }: ApiError, t: (key: string) => string): string {
  if (code === 'share_removed' && typeof details.message === 'string') return details.message // the reason that the administrator entered
  return t(`share.problem.${code}`)
}
