import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button, Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { ApiError, api } from '../../api.ts'
import { errorText } from '../../lib/error-text.ts'
import type { AddressedShare } from './RecipientRow.tsx'
import { RecipientsField } from './RecipientsField.tsx'

interface Fields {
  recipients?: string[]
}

interface Props {
  share: AddressedShare
  editing: boolean
  /** The addresses that the share was sent to. */
  present: readonly string[]
}

/** Adds recipients to a share. They get an email at once, or when an edited share is saved. */
export function AddRecipients({ share: { id: shareId, encrypted }, editing, present }: Props) {
  const { t } = useTranslation()
  const [form] = Form.useForm<Fields>()
  const queries = useQueryClient()
  const add = useMutation({
    mutationFn: ({ recipients = [] }: Fields) => api('PATCH /api/shares/:id', { params: { id: shareId }, body: { recipients } }),
    onSuccess: async () => {
      form.resetFields()
      await Promise.all([
        queries.invalidateQueries({ queryKey: ['recipients', shareId] }),
        queries.invalidateQueries({ queryKey: ['links', shareId] }),
        queries.invalidateQueries({ queryKey: ['known-recipients'] }),
        queries.invalidateQueries({ queryKey: ['shares'], refetchType: 'none' }),
      ])
    },
    onError: (error) => form.setFields([{ name: 'recipients', errors: [problemText(error)] }]),
  })
  const problemText = (error: unknown) => {
    if (error instanceof ApiError && error.code === 'too_many_recipients') return t('error.too_many_recipients', error.details)
    return error instanceof ApiError && error.issues.length > 0 ? t('rule.email') : errorText(t, error)
  }
  return (
    <Form<Fields>
      form={form}
      name={`recipients-${shareId}`}
      className="recipient-add"
      layout="vertical"
      requiredMark={false}
      onFinish={add.mutate}
    >
      <RecipientsField
        required
        present={present}
        label={t('recipients.add')}
        hint={t(encrypted ? 'recipients.hintEncrypted' : editing ? 'recipients.toldWhenSaved' : 'recipients.toldNow')}
      />
      <Button htmlType="submit" loading={add.isPending}>
        {t(editing ? 'recipients.addButton' : 'recipients.send')}
      </Button>
    </Form>
  )
}
