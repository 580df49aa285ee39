import { Button, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../components/CopyButton.tsx'
import { useLast } from '../../../last.ts'
import '../../../components/link-field.css'

interface Props {
  made: { name: string; token: string } | null
  onClose(): void
}

/** Shows a new API token, this once. */
export function TokenDialog({ made, onClose }: Props) {
  const { t } = useTranslation()
  const last = useLast(made)
  return (
    <Modal
      open={made !== null}
      title={last?.name}
      width={480}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      destroyOnHidden
      onCancel={onClose}
      footer={<Button onClick={onClose}>{t('common.done')}</Button>}
    >
      <p className="soft dialog-note">{t('token.onceText')}</p>
      <div className="link-field">
        <input
          className="link-text"
          readOnly
          aria-label={t('token.secret')}
          value={last?.token ?? ''}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={last?.token ?? ''} primary />
      </div>
    </Modal>
  )
}
