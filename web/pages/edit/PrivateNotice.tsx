import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { api } from '../../api.ts'
import { Icon } from '../../components/Icon.tsx'
import { useNotify } from '../../lib/notify.tsx'

/** Shows that an adopted share is still private, and lets its owner open it to everyone. */
export function PrivateNotice({ id }: { id: string }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const queries = useQueryClient()
  const publish = useMutation({
    mutationFn: () => api('PATCH /api/shares/:id', { params: { id }, body: { publicAccess: true } }),
    onSuccess: () => queries.invalidateQueries(),
    onError: notify.error,
  })
  return (
    <div className="notice">
      <Icon name="lock" />
      <div>
        <p>{t('edit.privateText')}</p>
        <div className="actions">
          <Button loading={publish.isPending} onClick={() => publish.mutate()}>
            {t('edit.publish')}
          </Button>
        </div>
      </div>
    </div>
  )
}
