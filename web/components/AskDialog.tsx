import { useMutation } from '@tanstack/react-query'
import { Modal } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import './form-dialog.css'

interface Props {
  open: boolean
  title: string
  text: ReactNode
  /** What the button says that does it. */
  ok: string
  danger?: boolean
  work(): Promise<unknown>
  onDone(): void
  onError(error: unknown): void
  onClose(): void
}

/** Asks before something is done. */
export function AskDialog({ open, title, text, ok, danger, work, onDone, onError, onClose }: Props) {
  const { t } = useTranslation()
  const doing = useMutation({ mutationFn: work, onSuccess: onDone, onError })
  return (
    <Modal
      open={open}
      title={title}
      width={440}
      okText={ok}
      okButtonProps={{ danger }}
      cancelText={t('common.cancel')}
      confirmLoading={doing.isPending}
      closable={{ 'aria-label': t('common.close') }}
      onOk={() => doing.mutate()}
      onCancel={onClose}
    >
      <p>{text}</p>
    </Modal>
  )
}
