import type { UseMutationResult } from '@tanstack/react-query'
import { Form, Modal } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { NewShare } from '../../../src/shares/contract.ts'
import { ApiError } from '../../api.ts'
import { signInPath } from '../../lib/access.ts'
import { errorText, fieldErrors } from '../../lib/error-text.ts'
import { Icon } from '../Icon.tsx'

/** What every new share can be given. */
export interface ShareFields {
  id: string
  name?: string
  description?: string
  password?: string
  maxViews?: number | null
}

interface Props<F extends ShareFields> {
  open: boolean
  title: string
  ok: string
  initial(): F
  /** Makes the share, and starts the upload. */
  making: Pick<UseMutationResult<unknown, Error, NewShare>, 'error' | 'isPending' | 'mutate'>
  newShare(fields: F): NewShare
  children: ReactNode
  onClose(): void
}

const owners = { share_id_taken: 'id', share_id_invalid: 'id', expiration_invalid: 'count', expiration_exceeds_maximum: 'count' }
const paths: Record<string, string> = { 'security.password': 'password', 'security.maxViews': 'maxViews' }
const fieldOf = (path: string) => (path.startsWith('recipients.') ? 'recipients' : (paths[path] ?? path))

/** The dialog in which a new share is described: what the server refuses is told at its field, or above them all. */
export function ShareDialog<F extends ShareFields>({ open, title, ok, initial, making, newShare, children, onClose }: Props<F>) {
  const { t } = useTranslation()
  const [form] = Form.useForm<F>()
  const [first] = useState(initial)
  const submit = (fields: F) => making.isPending || making.mutate(newShare(fields), { onError: refuse })
  const refuse = (error: Error) => {
    const fields = fieldErrors(t, error, owners).map(({ name, errors }) => ({ name: fieldOf(name), errors }))
    form.setFields(fields as Parameters<typeof form.setFields>[0])
  }
  const isGeneral = making.error !== null && fieldErrors(t, making.error, owners).length === 0
  return (
    <Modal
      open={open}
      title={title}
      okText={ok}
      cancelText={t('common.cancel')}
      okButtonProps={{ htmlType: 'submit', loading: making.isPending }}
      closable={{ 'aria-label': t('common.close') }}
      width={560}
      mask={{ closable: false }}
      onOk={form.submit}
      onCancel={onClose}
    >
      <Form<F>
        form={form}
        className="upload-form"
        layout="vertical"
        requiredMark={false}
        initialValues={first}
        autoComplete="off"
        onFinish={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.target instanceof HTMLInputElement && event.target.type !== 'checkbox') form.submit()
        }}
      >
        {isGeneral && (
          <p className="notice notice-danger" role="alert">
            <Icon name="info" />
            {errorText(t, making.error)}{' '}
            {making.error instanceof ApiError && making.error.code === 'unauthorized' && (
              <a href={signInPath()} target="_blank" rel="noopener">
                {t('upload.signInAgain')}
              </a>
            )}
          </p>
        )}
        {children}
      </Form>
    </Modal>
  )
}

/** The part of a new share that these fields say. */
export function shareOf({ id, name, description, password, maxViews }: ShareFields) {
  const security = { ...(password && { password }), ...(maxViews && { maxViews }) }
  return {
    id,
    ...(name && { name }),
    ...(description && { description }),
    ...(Object.keys(security).length > 0 && { security }),
  }
}
