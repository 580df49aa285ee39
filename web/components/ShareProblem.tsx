import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { ApiError } from '../api.ts'
import { signInPath } from '../lib/access.ts'
import { address } from '../lib/address.ts'
import { errorText } from '../lib/error-text.ts'
import { start } from '../start.ts'
import { PageSkeleton } from './PageSkeleton.tsx'
import { Scene } from './Scene.tsx'

const ExpiredShare = lazy(async () => ({ default: (await import('./ExpiredShare.tsx')).ExpiredShare }))

const explained = [
  'share_not_found',
  'share_removed',
  'share_max_views_exceeded',
  'share_max_downloads_exceeded',
  'link_turned_off',
  'private_share',
  'download_in_progress',
] as const
/** The problems that may be over soon. */
const retryable: readonly string[] = ['download_in_progress']
type Explained = (typeof explained)[number]

interface Props {
  id: string
  error: unknown
  onRetry(): void
}

/** Explains why a share can't be opened, and offers the next step. */
export function ShareProblem({ id, error, onRetry }: Props) {
  const { t } = useTranslation()
  if (error instanceof ApiError && error.details.expired) {
    const { keptUntil } = error.details
    return (
      <Suspense fallback={<PageSkeleton />}>
        <ExpiredShare id={id} keptUntil={typeof keptUntil === 'string' ? keptUntil : null} onReopened={onRetry} />
      </Suspense>
    )
  }
  const explainedCode = explained.find((code) => error instanceof ApiError && error.code === code)
  const isRetryable = !explainedCode || retryable.includes(explainedCode)
  const asksToSignIn = explainedCode === 'private_share' && !start.user
  return (
    <Scene asleep title={errorText(t, error)} text={explainedCode ? textOf(explainedCode, error as ApiError, t) : t('share.problem')}>
      {isRetryable && (
        <button type="button" className="button button-primary" onClick={onRetry}>
          {t('common.retry')}
        </button>
      )}
      {asksToSignIn && (
        <a className="button button-primary" href={address(signInPath())}>
          {t('auth.signIn')}
        </a>
      )}
      <Link href="/" className={!isRetryable && !asksToSignIn ? 'button button-primary' : 'button'}>
        {t('common.home')}
      </Link>
    </Scene>
  )
}

function textOf(code: Explained, { details }: ApiError, t: (key: string) => string): string {
  if (code === 'share_removed' && typeof details.message === 'string') return details.message // the reason that the administrator entered
  return t(`share.problem.${code}`)
}
