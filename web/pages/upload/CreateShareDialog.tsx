import { useMutation } from '@tanstack/react-query'
import { Form, Modal } from 'antd'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../api.ts'
import { Icon } from '../../components/Icon.tsx'
import { mayHaveRecipients } from '../../components/recipients/addresses.ts'
import { RecipientsField } from '../../components/recipients/RecipientsField.tsx'
import { errorText, fieldErrors } from '../../error-text.ts'
import { start } from '../../start.ts'
import { rememberOwn } from '../share/own.ts'
import { ExpirationFields } from './ExpirationFields.tsx'
import { type Expiration, expirationText, initialExpiration } from './expiration.ts'
import { LinkFields, randomLink } from './LinkFields.tsx'
import { SecurityFields, WordsFields } from './ShareFields.tsx'
import { beginUpload, type PickedFile } from './session.ts'

interface Fields extends Expiration {
  id: string
  name?: string
  description?: string
  recipients?: string[]
  password?: string
  maxViews?: number | null
}

interface Props {
  open: boolean
  files: readonly PickedFile[]
  onClose(): void
}

const owners = { share_id_taken: 'id', share_id_invalid: 'id', expiration_invalid: 'count', expiration_exceeds_maximum: 'count' }
const paths: Record<string, string> = { 'security.password': 'password', 'security.maxViews': 'maxViews' }
const fieldOf = (path: string) => (path.startsWith('recipients.') ? 'recipients' : (paths[path] ?? path)) as keyof Fields

/** Asks what the share is to be like, makes it, and starts the upload. */
export function CreateShareDialog({ open, files, onClose }: Props) {
  const { t } = useTranslation()
  const [form] = Form.useForm<Fields>()
  const initial = useRef<Fields>({ id: randomLink(), ...initialExpiration(new Date()) })
  const create = useMutation({
    mutationFn: async (fields: Fields) => {
      if (start.user) await api('GET /api/users/me') // a session that ran out while the tab slept is renewed, or the share would be nobody's
      return api('POST /api/shares', { body: newShare(fields) })
    },
    onSuccess: ({ id, link, expiration, ownerToken }) => {
      if (ownerToken) rememberOwn(id)
      const share = { id, link, expiration, ownerId: start.user?.id ?? null }
      beginUpload(
        share,
        files.map(({ source }) => source),
      )
    },
    onError: (error) => form.setFields(fieldErrors(t, error, owners).map(({ name, errors }) => ({ name: fieldOf(name), errors }))),
  })
  const general = create.error && fieldErrors(t, create.error, owners).length === 0
  return (
    <Modal
      open={open}
      title={t('upload.createTitle')}
      okText={t('upload.start')}
      cancelText={t('common.cancel')}
      okButtonProps={{ htmlType: 'submit', loading: create.isPending }}
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
        autoComplete="off"
        onFinish={create.mutate}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.target instanceof HTMLInputElement && event.target.type !== 'checkbox') form.submit()
        }}
      >
        {general && (
          <p className="notice notice-danger" role="alert">
            <Icon name="info" />
            {errorText(t, create.error)}
          </p>
        )}
        <LinkFields />
        <ExpirationFields />
        <WordsFields />
        {mayHaveRecipients() && <RecipientsField label={t('recipients.label')} hint={t('recipients.hint')} />}
        <SecurityFields />
        {!start.user && <p className="soft anonymous-note">{t('upload.anonymousNote')}</p>}
      </Form>
    </Modal>
  )
}

function newShare({ id, name, description, recipients, password, maxViews, ...expiration }: Fields) {
  const security = { ...(password && { password }), ...(maxViews && { maxViews }) }
  return {
    id,
    ...(name && { name }),
    ...(description && { description }),
    ...(recipients?.length && { recipients }),
    expiration: expirationText(expiration),
    ...(Object.keys(security).length > 0 && { security }),
  }
}
