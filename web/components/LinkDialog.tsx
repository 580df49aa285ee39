import { Modal } from 'antd'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { focusCopy, LinkField } from './LinkField.tsx'
import { WholeLink } from './WholeLink.tsx'

interface Props {
  open: boolean
  title: string
  link: string
  note?: string
  /** The share if it is encrypted, so that the link gets its key. */
  encrypted?: string | undefined
  onClose(): void
}

/** Shows a link to share. */
export function LinkDialog({ open, title, link, note, encrypted, onClose }: Props) {
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
        <WholeLink id={encrypted ?? ''} link={link} encrypted={encrypted !== undefined}>
          {(link) => <LinkField label={t('common.link')} link={link} />}
        </WholeLink>
      </div>
    </Modal>
  )
}
