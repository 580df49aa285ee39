import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { ApiError } from '../../api.ts'
import { Scene } from '../../components/Scene.tsx'
import { errorText } from '../../lib/error-text.ts'

/** The texts of links that are closed until their owner does something. */
const closed: Partial<Record<string, { title: string; text: string }>> = {
  reverse_share_not_found: { title: 'send.over', text: 'send.overText' },
  link_turned_off: { title: 'error.link_turned_off', text: 'send.turnedOffText' },
}

/** Explains why nothing can be sent through this link. */
export function RequestProblem({ error, onRetry }: { error: unknown; onRetry(): void }) {
  const { t } = useTranslation()
  const code = error instanceof ApiError ? error.code : ''
  const texts = closed[code]
  const title = code === 'reverse_share_full' ? 'send.over' : 'send.failed'
  return (
    <Scene asleep title={t(texts?.title ?? title)} text={texts ? t(texts.text) : errorText(t, error)}>
      {!texts && (
        <Button type="primary" onClick={onRetry}>
          {t('common.retry')}
        </Button>
      )}
      <Link href="/" asChild>
        <Button type={texts ? 'primary' : 'default'}>{t('common.home')}</Button>
      </Link>
    </Scene>
  )
}
