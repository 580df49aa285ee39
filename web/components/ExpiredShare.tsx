import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { formatTime } from '../lib/format.ts'
import { settings } from '../start.ts'
import { AskToReopen } from './AskToReopen.tsx'
import { ExpiredActions } from './ExpiredActions.tsx'
import { Scene } from './Scene.tsx'

interface Props {
  id: string
  /** When it is deleted; null for others than its owner. */
  keptUntil: string | null
  onReopened(): void
}

/**
 * Shows that a share has expired. Its owner can reopen or delete it, and others can ask the owner
 * to reopen it.
 */
export function ExpiredShare({ id, keptUntil, onReopened }: Props) {
  const { t } = useTranslation()
  const isAskable = keptUntil === null && settings['smtp.enabled']
  const text = keptUntil === null ? t('share.expired.text') : t('share.expired.ownerText', { time: formatTime(keptUntil) })
  return (
    <Scene asleep title={t('share.expired.title')} text={text}>
      {keptUntil !== null && <ExpiredActions id={id} onReopened={onReopened} />}
      {isAskable && <AskToReopen id={id} />}
      <Link href="/" className={keptUntil === null && !isAskable ? 'button button-primary' : 'button'}>
        {t('common.home')}
      </Link>
    </Scene>
  )
}
