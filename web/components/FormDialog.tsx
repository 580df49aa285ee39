import { useMutation } from '@tanstack/react-query'
import { Form, Modal } from 'antd'
import { type ReactNode, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText, fieldErrors } from '../lib/error-text.ts'
import './form-dialog.css'

interface Props<Fields extends object, Result> {
  open: boolean
  title: string
  /** What the button that submits says. */
  ok: string
  danger?: boolean
  initial?: Partial<Fields>
  /** The field that an error code is about. */
  owners?: Partial<Record<string, keyof Fields & string>>
  submit(fields: Fields): Promise<Result>
  onDone(result: Result): void
  onClose(): void
  children: ReactNode
}

/** A dialog that is a form: the Enter key submits it, and what the server refuses stands at the field that it is about, or above all. */
export function FormDialog<Fields extends object, Result = unknown>(props: Props<Fields, Result>) {
  const { open, title, ok, danger, initial, owners = {}, submit, onDone, onClose, children } = props
  const { t } = useTranslation()
  const name = useId()
  const content = useRef<HTMLDivElement>(null)
  const [form] = Form.useForm<Fields>()
  const work = useMutation({
    mutationFn: submit,
    onSuccess: onDone,
    onError: (error) => form.setFields(fieldErrors(t, error, owners) as Parameters<typeof form.setFields>[0]),
  })
  const unexplained = work.error && fieldErrors(t, work.error, owners).length === 0
  return (
    <Modal
      open={open}
      title={title}
      width={480}
      okText={ok}
      cancelText={t('common.cancel')}
      okButtonProps={{ htmlType: 'submit', danger, loading: work.isPending }}
      closable={{ 'aria-label': t('common.close') }}
      mask={{ closable: false }}
      destroyOnHidden
      onCancel={onClose}
      afterOpenChange={(isOpen) => isOpen && beginAtField(content.current!)}
      afterClose={work.reset}
      modalRender={(dialog) => (
        <Form<Fields>
          form={form}
          name={name}
          layout="vertical"
          requiredMark={false}
          clearOnDestroy
          scrollToFirstError={{ focus: true }}
          initialValues={initial}
          onFinish={(fields) => work.isPending || work.mutate(fields)}
        >
          {dialog}
        </Form>
      )}
    >
      <div className="form-dialog stack" ref={content}>
        <div role="alert">{unexplained && <p className="form-error">{errorText(t, work.error)}</p>}</div>
        {children}
      </div>
    </Modal>
  )
}

/** antd begins at the button that closes. On a phone the keys would cover what is to be read before. */
function beginAtField(content: HTMLElement): void {
  if (matchMedia('(pointer: fine)').matches) content.querySelector<HTMLElement>('input, textarea')?.focus()
}
