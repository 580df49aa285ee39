import { Form, Modal } from 'antd'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { OpenReverseShare } from '../../../src/reverse-shares/contract.ts'
import type { NewShare } from '../../../src/shares/contract.ts'
import { Icon } from '../../components/Icon.tsx'
import { errorText, fieldErrors } from '../../error-text.ts'
import { LinkFields, randomLink } from '../upload/LinkFields.tsx'
import { SecurityFields, WordsFields } from '../upload/ShareFields.tsx'
import type { PickedFile } from '../upload/session.ts'
import { useSend } from './request.ts'
import { SenderFields, type SenderWords, senderOf } from './SenderFields.tsx'

interface Fields extends SenderWords {
  id: string
  name?: string
  description?: string
  password?: string
  maxViews?: number | null
}

interface Props {
  open: boolean
  request: OpenReverseShare
  files: readonly PickedFile[]
  onClose(): void
}

const owners = { share_id_taken: 'id', share_id_invalid: 'id' }
const paths: Record<string, string> = { 'security.password': 'password', 'security.maxViews': 'maxViews' }

/** Asks who sends and what their share is to be like, makes it, and starts the upload. When it expires is the link's. */
export function SendDialog({ open, request, files, onClose }: Props) {
  const { t } = useTranslation()
  const [form] = Form.useForm<Fields>()
  const initial = useRef<Fields>({ id: randomLink() })
  const send = useSend(request, files)
  const submit = (fields: Fields) =>
    send.isPending ||
    send.mutate(newShare(fields), {
      onError: (error) =>
        form.setFields(fieldErrors(t, error, owners).map(({ name, errors }) => ({ name: (paths[name] ?? name) as keyof Fields, errors }))),
    })
  const general = send.error && fieldErrors(t, send.error, owners).length === 0
  return (
    <Modal
      open={open}
      title={t('send.to', { name: request.creator.username })}
      okText={t('send.send')}
      cancelText={t('common.cancel')}
      okButtonProps={{ htmlType: 'submit', loading: send.isPending }}
      closable={{ 'aria-label': t('common.close') }}
      width={560}
      mask={{ closable: false }}
      onOk={form.submit}
      onCancel={onClose}
    >
      <Form<Fields>
        form={form}
        className="upload-form"
        layout="vertical"
        requiredMark={false}
        initialValues={initial.current}
        onFinish={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.target instanceof HTMLInputElement) form.submit()
        }}
      >
        {general && (
          <p className="notice notice-danger" role="alert">
            <Icon name="info" />
            {errorText(t, send.error)}
          </p>
        )}
        <SenderFields request={request} />
        <WordsFields />
        <LinkFields />
        <SecurityFields />
      </Form>
    </Modal>
  )
}

function newShare({ id, name, description, password, maxViews, ...words }: Fields): NewShare {
  const security = { ...(password && { password }), ...(maxViews && { maxViews }) }
  return {
    id,
    ...(name && { name }),
    ...(description && { description }),
    ...(Object.keys(security).length > 0 && { security }),
    ...senderOf(words),
  }
}
