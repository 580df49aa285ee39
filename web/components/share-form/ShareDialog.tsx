import type { UseMutationResult } from '@tanstack/react-query'
import { Form, Modal } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { NewShare } from '../../../src/shares/contract.ts'
import { ApiError } from '../../api.ts'
import { signInPath } from '../../lib/access.ts'
import { address } from '../../lib/address.ts'
import { errorText, fieldErrors } from '../../lib/error-text.ts'
import { Icon } from '../Icon.tsx'

/** Form fields that every new share has. */
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
  /** Creates the share and starts the upload. */
  creation: Pick<UseMutationResult<unknown, Error, NewShare>, 'error' | 'isPending' | 'mutate'>
  newShare(fields: F): NewShare
  children: ReactNode
  onClose(): void
}

/** The form field that each error is shown at. */
const errorFields = { share_id_taken: 'id', share_id_invalid: 'id', expiration_invalid: 'count', expiration_exceeds_maximum: 'count' }
/** Names of form fields by the path of the request field. */
const fieldNames: Record<string, string> = { 'security.password': 'password', 'security.maxViews': 'maxViews' }
const fieldOf = (path: string) => (path.startsWith('recipients.') ? 'recipients' : (fieldNames[path] ?? path))

/**
 * Dialog with the form of a new share. Errors of the server are shown at their field or above the
 * form.
 */
export function ShareDialog<F extends ShareFields>({ open, title, ok, initial, creation, newShare, children, onClose }: Props<F>) {
  const { t } = useTranslation()
  const [form] = Form.useForm<F>()
  const [initialValues] = useState(initial)
  const submit = (fields: F) => creation.isPending || creation.mutate(newShare(fields), { onError: showFieldErrors })
  const showFieldErrors = (error: Error) => {
    const fields = fieldErrors(t, error, errorFields).map(({ name, errors }) => ({ name: fieldOf(name), errors }))
    form.setFields(fields as Parameters<typeof form.setFields>[0])
  }
  const isGeneral = creation.error !== null && fieldErrors(t, creation.error, errorFields).length === 0
  return (
    <Modal
      open={open}
      title={title}
      okText={ok}
      cancelText={t('common.cancel')}
      okButtonProps={{ htmlType: 'submit', loading: creation.isPending }}
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
        initialValues={initialValues}
        autoComplete="off"
        onFinish={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.target instanceof HTMLInputElement && event.target.type !== 'checkbox') form.submit()
        }}
      >
        {isGeneral && (
          <p className="notice notice-danger" role="alert">
            <Icon name="info" />
            {errorText(t, creation.error)}{' '}
            {creation.error instanceof ApiError && creation.error.code === 'unauthorized' && (
              <a href={address(signInPath())} target="_blank" rel="noopener">
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

/** Returns the part of a request for a new share that these fields hold. */
export function toNewShare({ id, name, description, password, maxViews }: ShareFields) {
  const security = { ...(password && { password }), ...(maxViews && { maxViews }) }
  return {
    id,
    ...(name && { name }),
    ...(description && { description }),
    ...(Object.keys(security).length > 0 && { security }),
  }
}
