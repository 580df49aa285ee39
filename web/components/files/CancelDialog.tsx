import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { cancelUpload, type Uploading } from './upload-session.ts'

/** Asks before an upload is canceled and its uploaded bytes are deleted. */
export function CancelDialog({ open, upload, onClose }: { open: boolean; upload: Uploading; onClose(): void }) {
  const { t } = useTranslation()
  return (
    <Modal
      open={open}
      title={t('upload.cancelTitle')}
      okText={t('upload.cancelYes')}
      okButtonProps={{ danger: true }}
      cancelText={t('upload.cancelNo')}
      closable={{ 'aria-label': t('common.close') }}
      width={440}
      onCancel={onClose}
      onOk={() => {
        onClose()
        void cancelUpload(upload)
      }}
    >
      <p>{t('upload.cancelText')}</p>
    </Modal>
  )
}
