import { useTranslation } from 'react-i18next'
import type { ReceivedShare } from '../../../src/reverse-shares/contract.ts'
import type { OwnerPage } from '../../../src/shares/contract.ts'
import { api } from '../../api.ts'
import { AskDialog } from '../../components/AskDialog.tsx'
import { useLast } from '../../lib/last.ts'
import { useNotify } from '../../lib/notify.tsx'
import { useRefresh } from './queries.ts'
import { isSenderKnown, senderNameOf } from './sender.ts'

interface Props {
  share: ReceivedShare | null
  onDone(adopted: OwnerPage): void
  onClose(): void
}

/** Asks before a received share becomes one of the user's own shares, which others can open. */
export function AdoptDialog({ share, onDone, onClose }: Props) {
  const { t } = useTranslation()
  const notify = useNotify()
  const refresh = useRefresh()
  const last = useLast(share)
  if (!last) return null
  const adopt = async () => {
    onDone(await api('POST /api/shares/:id/adopt', { params: { id: last.id }, body: { publicAccess: true } }))
    await refresh()
  }
  return (
    <AskDialog
      open={share !== null}
      title={t('reverse.adoptTitle')}
      text={isSenderKnown(last) ? t('reverse.adoptText', { name: senderNameOf(last, t) }) : t('reverse.adoptUnknownText')}
      ok={t('reverse.adopt')}
      action={adopt}
      onError={notify.error}
      onClose={onClose}
    />
  )
}
