import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../components/Icon.tsx'
import { passkeysWork } from '../../lib/passkeys.ts'

/** Another way in; nothing where there are no passkeys. */
export function PasskeyButton({ busy, onClick }: { busy: boolean; onClick(): void }) {
  const { t } = useTranslation()
  if (!passkeysWork()) return null
  return (
    <Button className="auth-passkey" size="large" block icon={<Icon name="key" />} loading={busy} onClick={onClick}>
      {t('auth.usePasskey')}
    </Button>
  )
}
