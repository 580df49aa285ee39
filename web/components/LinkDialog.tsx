import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { LinkField } from './LinkField.tsx'

interface Props {
  open: boolean
  title: string
  link: string
  note?: string
  onClose(): void
}

/** Shows a link to share. */
export function LinkDialog({ open, title, link, note, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Modal
      open={open}
      title={title}
      footer={null}
      width={560}
      destroyOnHidden
      onCancel={onClose}
      closable={{ 'aria-label': t('common.close') }}
    >
      {note && <p className="soft dialog-note">{note}</p>}
      <LinkField label={t('common.link')} link={link} />
    </Modal>
  )
}
