import { Button, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../../components/CopyButton.tsx'
import { Icon } from '../../../components/Icon.tsx'
import { baseUrl } from '../../../lib/base-url.ts'
import { useLast } from '../../../lib/last.ts'
import type { ApiToken } from '../queries.ts'
import { sharexFileName, sharexPreset } from './sharex.ts'
import '../../../components/link-field.css'

export type CreatedToken = Pick<ApiToken, 'name' | 'scopes'> & { token: string }

interface Props {
  created: CreatedToken | null
  onClose(): void
}

/** Shows a new API token, which can't be shown again. */
export function TokenDialog({ created, onClose }: Props) {
  const { t } = useTranslation()
  const last = useLast(created)
  return (
    <Modal
      open={created !== null}
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
      <div className="field-row">
        <input
          className="link-text field"
          readOnly
          aria-label={t('token.secret')}
          value={last?.token ?? ''}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={last?.token ?? ''} primary />
      </div>
      {last?.scopes.includes('shares:write') && <SharexPreset token={last.token} />}
    </Modal>
  )
}

/** Offers a configuration file with the token for a program that uploads screenshots. */
function SharexPreset({ token }: { token: string }) {
  const { t } = useTranslation()
  return (
    <div className="token-preset">
      <p className="soft dialog-note">{t('token.sharexText')}</p>
      <Button
        icon={<Icon name="download" size={18} />}
        href={`data:application/json;charset=utf-8,${encodeURIComponent(sharexPreset(baseUrl(), token))}`}
        download={sharexFileName(baseUrl())}
      >
        {t('token.sharex')}
      </Button>
    </div>
  )
}
