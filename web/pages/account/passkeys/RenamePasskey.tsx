import { Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { nameMaxLength } from '../../../../src/auth/limits.ts'
import { FormDialog } from '../../../components/FormDialog.tsx'
import { useLast } from '../../../lib/last.ts'
import type { Passkey } from '../queries.ts'

interface Props {
  passkey: Passkey | null
  /** Whether the passkey was just created: the dialog confirms that and asks for a name. */
  isNew: boolean
  submit(id: string, name: string): Promise<unknown>
  onDone(): void
  onClose(): void
}

/** Names a passkey. */
export function RenamePasskey({ passkey, isNew, submit, onDone, onClose }: Props) {
  const { t } = useTranslation()
  const last = useLast(passkey)
  return (
    <FormDialog<{ name: string }>
      open={passkey !== null}
      title={t(isNew ? 'passkey.addedTitle' : 'passkey.renameTitle')}
      ok={t('account.save')}
      cancel={t(isNew ? 'passkey.keepName' : 'common.cancel')}
      initial={{ name: last?.name }}
      submit={({ name }) => submit(last!.id, name.trim())}
      onDone={onDone}
      onClose={onClose}
    >
      {isNew && <p className="soft">{t('passkey.addedText')}</p>}
      <Form.Item name="name" label={t('passkey.name')} rules={[{ required: true, whitespace: true, message: t('rule.required') }]}>
        <Input autoFocus autoComplete="off" maxLength={nameMaxLength} />
      </Form.Item>
    </FormDialog>
  )
}
