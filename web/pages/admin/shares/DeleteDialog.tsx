import { useTranslation } from 'react-i18next'
import { AskDialog } from '../../../components/AskDialog.tsx'
import { deleteOne, useDeletion } from '../../../components/use-deletion.ts'
import { useLast } from '../../../lib/last.ts'
import { ownTitleOf } from '../../../lib/share-title.ts'
import type { AnyShare } from './page.ts'

interface Props {
  share: AnyShare | null
  onClose(): void
  onDeleted(): void
}

/** Asks for confirmation, then deletes a share. */
export function DeleteDialog({ share, onClose, onDeleted }: Props) {
  const { t } = useTranslation()
  const last = useLast(share)
  const remove = useDeletion(deleteOne, onDeleted)
  if (!last) return null
  return (
    <AskDialog
      open={share !== null}
      danger
      title={t('shares.deleteTitle')}
      text={t('shares.deleteText', { name: ownTitleOf(last, t) })}
      ok={t('common.delete')}
      action={() => remove.mutateAsync([last.id])}
      onDone={onClose}
      onError={() => {}}
      onClose={onClose}
    />
  )
}
