import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../components/Icon.tsx'
import { passkeysWork } from '../../passkeys.ts'

/** The other way in, below the form; nothing where there are no passkeys. */
export function PasskeyButton({ busy, onClick }: { busy: boolean; onClick(): void }) {
  const { t } = useTranslation()
  if (!passkeysWork()) return null
  return (
    <>
      <p className="auth-or">
        <span>{t('auth.or')}</span>
      </p>
      <Button size="large" block icon={<Icon name="key" />} loading={busy} onClick={onClick}>
        {t('auth.usePasskey')}
      </Button>
    </>
  )
}
