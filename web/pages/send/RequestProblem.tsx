import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { ApiError } from '../../api.ts'
import { Scene } from '../../components/Scene.tsx'
import { errorText } from '../../lib/error-text.ts'

/** Explains why nothing can be sent through this link. */
export function RequestProblem({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const { t } = useTranslation()
  const isOver = error instanceof ApiError && error.code === 'reverse_share_not_found'
  return (
    <Scene asleep title={t(isOver ? 'send.over' : 'send.failed')} text={isOver ? t('send.overText') : errorText(t, error)}>
      {!isOver && (
        <Button type="primary" onClick={onRetry}>
          {t('common.retry')}
        </Button>
      )}
      <Link href="/" asChild>
        <Button type={isOver ? 'primary' : 'default'}>{t('common.home')}</Button>
      </Link>
    </Scene>
  )
}
