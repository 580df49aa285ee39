import { Modal } from 'antd'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { focusCopy, LinkField } from './LinkField.tsx'

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
  const content = useRef<HTMLDivElement>(null)
  return (
    <Modal
      open={open}
      title={title}
      footer={null}
      width={560}
      destroyOnHidden
      onCancel={onClose}
      afterOpenChange={(isOpen) => isOpen && focusCopy(content.current)}
      closable={{ 'aria-label': t('common.close') }}
    >
      <div ref={content}>
        {note && <p className="soft dialog-note">{note}</p>}
        <LinkField label={t('common.link')} link={link} />
      </div>
    </Modal>
  )
}
