import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { showInvisible } from '../../src/invisible-characters.ts'
import type { OwnShare } from '../../src/shares/contract.ts'
import { api } from '../api.ts'
import { useLast } from '../lib/last.ts'
import { useNotify } from '../lib/notify.tsx'

interface Props {
  share: Pick<OwnShare, 'id' | 'name'> | null
  onClose(): void
  onDeleted(): void
}

/** Asks for confirmation, then deletes a share. */
export function DeleteDialog({ share, onClose, onDeleted }: Props) {
  const { t } = useTranslation()
  const last = useLast(share)
  const notify = useNotify()
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: (id: string) => api('DELETE /api/shares/:id', { params: { id } }),
    onSuccess: async () => {
      onDeleted()
      onClose()
      notify.success(t('shares.deleted'))
      await queries.invalidateQueries({ queryKey: ['shares'] })
    },
    onError: notify.error,
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
      onOk={() => share && remove.mutate(share.id)}
      onCancel={onClose}
    >
      <p>{t('shares.deleteText', { name: showInvisible(last?.name ?? last?.id ?? '') })}</p>
    </Modal>
  )
}
