import { Button, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { formatTimeFully, isNever } from '../../lib/format.ts'
import { LinkField } from '../LinkField.tsx'
import { Razorbill } from '../Razorbill.tsx'
import { startOver, type Uploading } from './upload-session.ts'

/** Shows the link of a share whose upload is completed. */
export function CompletedDialog({ open, upload }: { open: boolean; upload: Uploading }) {
  const { t } = useTranslation()
  const { id, link, expiration, through } = upload.share
  return (
    <Modal
      open={open}
      title={t('upload.completedTitle')}
      width={560}
      closable={{ 'aria-label': t('common.close') }}
      mask={{ closable: false }}
      onCancel={startOver}
      footer={
        <div className="actions completed-actions">
          <Link href={`/share/${id}`} asChild>
            <Button onClick={startOver}>{t('upload.openShare')}</Button>
          </Link>
          <Button onClick={startOver}>{t(through ? 'send.more' : 'upload.shareMore')}</Button>
        </div>
      }
    >
      <Razorbill className="completed-picture" files={4} />
      {through && (
        <p className="completed-through">{t(through.publicAccess ? 'send.received' : 'send.receivedPrivately', { name: through.to })}</p>
      )}
      <LinkField label={t('common.link')} link={link} />
      <p className="soft completed-expiration">
        {isNever(expiration) ? t('upload.staysForever') : t('upload.expiresAt', { time: formatTimeFully(expiration) })}
      </p>
    </Modal>
  )
}
