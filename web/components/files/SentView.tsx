import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SentThrough } from '../../../uploader/journal.ts'
import { Scene } from '../Scene.tsx'
import { useRequest } from './request.ts'
import { startOver } from './upload-session.ts'

/**
 * Thanks the sender after an upload through a reverse share. Offers another upload if the link
 * still accepts one.
 */
export function SentView({ through, count }: { through: SentThrough; count: number }) {
  const { t } = useTranslation()
  const request = useRequest(through.token)
  return (
    <Scene files={4} title={t('send.thanks')} text={<span role="status">{t('send.arrived', { count, name: through.to })}</span>}>
      {request.isSuccess && <Button onClick={startOver}>{t('send.more')}</Button>}
      {request.isError && (
        <Link href="/" asChild>
          <Button onClick={startOver}>{t('common.home')}</Button>
        </Link>
      )}
    </Scene>
  )
}
