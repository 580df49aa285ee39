import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { LinkField } from './LinkField.tsx'

interface Props {
  title: string
  /** null: closed. */
  link: string | null
  note?: string
  onClose(): void
}

/** Shows a link to hand on. */
export function LinkDialog({ title, link, note, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Modal
      open={link !== null}
      title={title}
      footer={null}
      width={480}
      destroyOnHidden
      onCancel={onClose}
      closable={{ 'aria-label': t('common.close') }}
    >
      {note && <p className="soft dialog-note">{note}</p>}
      {link !== null && <LinkField label={t('common.link')} link={link} />}
    </Modal>
  )
}
