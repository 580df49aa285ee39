import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SentThrough } from '../../../uploader/journal.ts'
import { Scene } from '../Scene.tsx'
import { useRequest } from './request.ts'
import { startOver } from './upload-session.ts'

/** What was sent to somebody has arrived; there is no link to hand on. Where their link takes more, more can be sent. */
export function SentView({ through, count }: { through: SentThrough; count: number }) {
  const { t } = useTranslation()
  const again = useRequest(through.token)
  return (
    <Scene files={4} title={t('send.thanks')} text={<span role="status">{t('send.arrived', { count, name: through.to })}</span>}>
      {again.isSuccess && <Button onClick={startOver}>{t('send.more')}</Button>}
      {again.isError && (
        <Link href="/" asChild>
          <Button onClick={startOver}>{t('common.home')}</Button>
        </Link>
      )}
    </Scene>
  )
}
