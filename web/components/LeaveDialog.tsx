import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'

interface Props {
  open: boolean
  text: string
  onLeave(): void
  onStay(): void
}

/** Asks for confirmation before unsaved changes are lost. */
export function LeaveDialog({ open, text, onLeave, onStay }: Props) {
  const { t } = useTranslation()
  return (
    <Modal
      open={open}
      title={t('leave.title')}
      width={440}
      okText={t('leave.leave')}
      okButtonProps={{ danger: true }}
      cancelText={t('leave.stay')}
      closable={{ 'aria-label': t('common.close') }}
      onOk={onLeave}
      onCancel={onStay}
    >
      <p>{text}</p>
    </Modal>
  )
}
