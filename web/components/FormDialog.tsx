import { useMutation } from '@tanstack/react-query'
import { Form, Modal } from 'antd'
import { type ReactNode, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText, fieldErrors } from '../lib/error-text.ts'
import './form-dialog.css'

interface Props<Fields extends object, Result> {
  open: boolean
  title: string
  /** The label of the button that submits. */
  ok: string
  /** The label of the button that closes the dialog, by default "Cancel". */
  cancel?: string
  danger?: boolean
  initial?: Partial<Fields>
  /** Maps error codes to fields. */
  fieldOfCode?: Partial<Record<string, keyof Fields & string>>
  submit(fields: Fields): Promise<Result>
  onDone(result: Result): void
  onClose(): void
  children: ReactNode
}

/**
 * A dialog with a form. The Enter key submits it. Errors of the server are shown at their field or
 * above the form.
 */
export function FormDialog<Fields extends object, Result = unknown>(props: Props<Fields, Result>) {
  const { open, title, ok, cancel, danger, initial, fieldOfCode = {}, submit, onDone, onClose, children } = props
  const { t } = useTranslation()
  const name = useId()
  const content = useRef<HTMLDivElement>(null)
  const [form] = Form.useForm<Fields>()
  const submission = useMutation({
    mutationFn: submit,
    onSuccess: onDone,
    onError: (error) => form.setFields(fieldErrors(t, error, fieldOfCode) as Parameters<typeof form.setFields>[0]),
  })
  const unexplained = submission.error && fieldErrors(t, submission.error, fieldOfCode).length === 0
  return (
    <Modal
      open={open}
      title={title}
      width={480}
      okText={ok}
      cancelText={cancel ?? t('common.cancel')}
      okButtonProps={{ htmlType: 'submit', danger, loading: submission.isPending }}
      closable={{ 'aria-label': t('common.close') }}
      mask={{ closable: false }}
      destroyOnHidden
      onCancel={onClose}
      afterOpenChange={(isOpen) => isOpen && focusFirstField(content.current)}
      afterClose={submission.reset}
      modalRender={(dialog) => (
        <Form<Fields>
          form={form}
          name={name}
          layout="vertical"
          noValidate
          requiredMark={false}
          clearOnDestroy
          scrollToFirstError={{ focus: true }}
          initialValues={initial}
          onFinish={(fields) => submission.isPending || submission.mutate(fields)}
        >
          {dialog}
        </Form>
      )}
    >
      <div className="form-dialog lines" ref={content}>
        <div role="alert">{unexplained && <p className="form-error">{errorText(t, submission.error)}</p>}</div>
        {children}
      </div>
    </Modal>
  )
}

/**
 * antd focuses the close button. On a phone nothing is focused, as the keyboard would cover the
 * text.
 */
function focusFirstField(content: HTMLElement | null): void {
  if (matchMedia('(pointer: fine)').matches) content?.querySelector<HTMLElement>('input, textarea')?.focus()
}
