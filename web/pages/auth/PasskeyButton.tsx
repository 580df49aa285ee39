import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../components/Icon.tsx'
import { arePasskeysAvailable } from '../../lib/passkeys.ts'

/** Signs in with a passkey. Renders nothing if passkeys are not available. */
export function PasskeyButton({ busy, onClick }: { busy: boolean; onClick(): void }) {
  const { t } = useTranslation()
  if (!arePasskeysAvailable()) return null
  return (
    <Button className="auth-passkey" size="large" block icon={<Icon name="key" />} loading={busy} onClick={onClick}>
      {t('auth.usePasskey')}
    </Button>
  )
}
