import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { ApiError } from '../api.ts'
import { signInPath } from '../lib/access.ts'
import { errorText } from '../lib/error-text.ts'
import { start } from '../start.ts'
import { Scene } from './Scene.tsx'

const explained = ['share_not_found', 'share_removed', 'share_max_views_exceeded', 'private_share'] as const
type Explained = (typeof explained)[number]

/** Why a share cannot be seen, and the way on. */
export function ShareProblem({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const { t } = useTranslation()
  const known = explained.find((code) => error instanceof ApiError && error.code === code)
  const asksToSignIn = known === 'private_share' && !start.user
  return (
    <Scene asleep title={errorText(t, error)} text={known ? textOf(known, error as ApiError, t) : t('share.problem')}>
      {!known && (
        <button type="button" className="button button-primary" onClick={onRetry}>
          {t('common.retry')}
        </button>
      )}
      {asksToSignIn && (
        <a className="button button-primary" href={signInPath()}>
          {t('auth.signIn')}
        </a>
      )}
      <Link href="/" className={known && !asksToSignIn ? 'button button-primary' : 'button'}>
        {t('common.home')}
      </Link>
    </Scene>
  )
}

function textOf(code: Explained, { details }: ApiError, t: (key: string) => string): string {
  if (code === 'share_removed' && typeof details.message === 'string') return details.message // the reason, in the words of whoever removed it
  return t(`share.problem.${code}`)
}
