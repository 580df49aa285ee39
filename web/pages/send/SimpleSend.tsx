import { Form } from 'antd'
import type { ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import type { OpenReverseShare } from '../../../src/reverse-shares/contract.ts'
import { ChosenFiles } from '../../components/files/ChosenFiles.tsx'
import { useSend } from '../../components/files/request.ts'
import { Icon } from '../../components/Icon.tsx'
import { errorText, fieldErrors } from '../../lib/error-text.ts'
import { asksAnything, SenderFields, type SenderValues, senderOf } from './SenderFields.tsx'

type Props = Omit<ComponentProps<typeof ChosenFiles>, 'next' | 'busy' | 'children' | 'onContinue'> & { request: OpenReverseShare }

/** Lists the chosen files with the fields that the owner asks for. One button sends them. */
export function SimpleSend({ request, ...chosen }: Props) {
  const { t } = useTranslation()
  const [form] = Form.useForm<SenderValues>()
  const send = useSend(request, chosen.files)
  const submit = (values: SenderValues) =>
    send.isPending ||
    send.mutate(senderOf(values), {
      onError: (error) => form.setFields(fieldErrors(t, error) as Parameters<typeof form.setFields>[0]),
    })
  const hasGeneralError = send.error && fieldErrors(t, send.error).length === 0
  return (
    <ChosenFiles {...chosen} next={t('send.send')} busy={send.isPending} onContinue={form.submit}>
      <Form<SenderValues>
        form={form}
        className={asksAnything(request) ? 'upload-form sender' : 'sender-none'}
        layout="vertical"
        requiredMark={false}
        scrollToFirstError={{ focus: true }}
        onFinish={submit}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && event.target instanceof HTMLInputElement) form.submit()
        }}
      >
        <SenderFields request={request} />
      </Form>
      {hasGeneralError && (
        <p className="notice notice-danger" role="alert">
          <Icon name="info" />
          {errorText(t, send.error)}
        </p>
      )}
    </ChosenFiles>
  )
}
