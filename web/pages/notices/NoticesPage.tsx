import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useParams } from 'wouter'
import { ApiError, api } from '../../api.ts'
import { Scene } from '../../components/Scene.tsx'
import { errorText } from '../../lib/error-text.ts'
import { usePageTitle } from '../../lib/page-title.ts'

/**
 * Turns off the emails about downloads of a share, or about shares received through an upload link. A
 * link in such an email opens it. Mail scanners open links too, so only the button does it.
 */
export function NoticesPage() {
  const { t } = useTranslation()
  usePageTitle(t('notices.title'))
  const { token = '' } = useParams()
  const isReceived = useLocation()[0].startsWith('/notices/received/')
  const texts = isReceived ? 'notices.received' : 'notices'
  const call = isReceived ? 'POST /api/reverseShares/notices/off' : 'POST /api/shares/notices/off'
  const off = useMutation({ mutationFn: () => api(call, { body: { token } }) })
  if (off.isSuccess) {
    return (
      <Scene title={t('notices.done')} text={t(`${texts}.doneText`)}>
        <Link href="/" asChild>
          <Button>{t('common.home')}</Button>
        </Link>
      </Scene>
    )
  }
  const isInvalid = off.error instanceof ApiError && off.error.code === 'invalid_token'
  return (
    <Scene title={t('notices.title')} text={t(`${texts}.text`)}>
      {off.error && <p role="alert">{isInvalid ? t(`${texts}.invalid`) : errorText(t, off.error)}</p>}
      <Button type="primary" loading={off.isPending} onClick={() => off.mutate()}>
        {t('notices.off')}
      </Button>
    </Scene>
  )
}
