import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
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
  const remove = useDeletion(deleteOne, () => {
    onDeleted()
    onClose()
  })
  return (
    <Modal
      open={share !== null}
      title={t('shares.deleteTitle')}
      width={440}
      okText={t('common.delete')}
      okButtonProps={{ danger: true }}
      cancelText={t('common.cancel')}
      confirmLoading={remove.isPending}
      closable={{ 'aria-label': t('common.close') }}
      onOk={() => share && remove.mutate([share.id])}
      onCancel={onClose}
    >
      <p>{t('shares.deleteText', { name: last ? ownTitleOf(last, t) : '' })}</p>
    </Modal>
  )
}
