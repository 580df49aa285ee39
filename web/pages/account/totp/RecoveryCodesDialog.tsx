import { Button, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import type { UserDTO } from '../../../../src/users/contract.ts'
import { CopyButton } from '../../../components/CopyButton.tsx'
import { Icon } from '../../../components/Icon.tsx'
import { useLast } from '../../../lib/last.ts'
import { settings } from '../../../start.ts'

interface Props {
  codes: string[] | null
  user: UserDTO
  onClose(): void
}

/** Shows the recovery codes, which can't be shown again. */
export function RecoveryCodesDialog({ codes, user, onClose }: Props) {
  const { t } = useTranslation()
  const last = useLast(codes) ?? []
  const app = settings['general.appName']
  const text = `${t('account.codesFile', { app, username: user.username })}\n\n${last.join('\n')}\n`
  return (
    <Modal
      open={codes !== null}
      title={t('account.codesTitle')}
      width={480}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      destroyOnHidden
      onCancel={onClose}
      footer={
        <Button type="primary" onClick={onClose}>
          {t('account.codesSaved')}
        </Button>
      }
    >
      <p className="soft">{t('account.codesText')}</p>
      <ul className="recovery-codes" dir="ltr" aria-label={t('account.codesTitle')}>
        {last.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="actions">
        <CopyButton text={last.join('\n')} />
        <Button
          icon={<Icon name="download" size={18} />}
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download={`${fileName(app)}-recovery-codes.txt`}
        >
          {t('account.codesDownload')}
        </Button>
      </div>
    </Modal>
  )
}

function fileName(name: string): string {
  return name.replace(/[^\p{L}\p{N}]+/gu, '-').toLowerCase()
}
