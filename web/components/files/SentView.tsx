import { Button } from 'antd'
import { type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SentThrough } from '../../../uploader/journal.ts'
import { Scene } from '../Scene.tsx'
import { type LastDelivery, rememberDelivery, wasLastUse } from './last-use.ts'
import { useRequest } from './request.ts'
import { startOver } from './upload-session.ts'

/**
 * Thanks the sender after an upload through a reverse share. Offers another upload if the link
 * still accepts one.
 */
export function SentView({ through: { token, to }, count }: { through: SentThrough; count: number }) {
  const isLast = wasLastUse(token)
  useEffect(() => {
    if (isLast) rememberDelivery(token, { to, count })
  }, [isLast, token, to, count])
  return isLast ? <Thanks delivery={{ to, count }} /> : <ThanksAndMore token={token} delivery={{ to, count }} />
}

function ThanksAndMore({ token, delivery }: { token: string; delivery: LastDelivery }) {
  const { t } = useTranslation()
  const request = useRequest(token)
  if (request.isError) return <Thanks delivery={delivery} />
  return <ThanksScene delivery={delivery}>{request.isSuccess && <Button onClick={startOver}>{t('send.more')}</Button>}</ThanksScene>
}

/** Thanks the sender whose share consumed the last use of the link. */
export function Thanks({ delivery }: { delivery: LastDelivery }) {
  const { t } = useTranslation()
  return (
    <ThanksScene delivery={delivery}>
      <Link href="/" asChild>
        <Button onClick={startOver}>{t('common.home')}</Button>
      </Link>
    </ThanksScene>
  )
}

function ThanksScene({ delivery: { to, count }, children }: { delivery: LastDelivery; children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <Scene files={4} title={t('send.thanks')} text={<span role="status">{t('send.arrived', { count, name: to })}</span>}>
      {children}
    </Scene>
  )
}
