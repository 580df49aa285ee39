import { useMutation } from '@tanstack/react-query'
import { Modal } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import './form-dialog.css'

interface Props {
  open: boolean
  title: string
  text: ReactNode
  /** The label of the button that confirms. */
  ok: string
  danger?: boolean
  action(): Promise<unknown>
  onDone?(): void
  onError(error: unknown): void
  onClose(): void
}

/** Asks for confirmation, then runs an action. */
export function AskDialog({ open, title, text, ok, danger, action, onDone, onError, onClose }: Props) {
  const { t } = useTranslation()
  const mutation = useMutation({ mutationFn: action, onSuccess: onDone, onError })
  return (
    <Modal
      open={open}
      title={title}
      width={440}
      okText={ok}
      okButtonProps={{ danger }}
      cancelText={t('common.cancel')}
      confirmLoading={mutation.isPending}
      closable={{ 'aria-label': t('common.close') }}
      onOk={() => mutation.mutate()}
      onCancel={onClose}
    >
      <p>{text}</p>
    </Modal>
  )
}
