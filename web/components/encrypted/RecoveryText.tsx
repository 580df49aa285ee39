import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import type { RecoverableShare } from '../../lib/encryption/recovery-text.ts'
import { useNotify } from '../../lib/notify.tsx'
import { Icon } from '../Icon.tsx'

/** A button that saves a text with the whole link of an encrypted share, to keep or to print. */
export function RecoveryText({ share }: { share: RecoverableShare }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const save = useMutation({
    mutationFn: async () => (await import('../../lib/encryption/recovery-text.ts')).saveRecoveryText(share, t),
    onError: notify.error,
  })
  return (
    <Button icon={<Icon name="download" size={18} />} loading={save.isPending} onClick={() => save.mutate()}>
      {t('recovery.save')}
    </Button>
  )
}
