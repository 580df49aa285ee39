import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '../api.ts'
import { useNotify } from '../lib/notify.tsx'

/** Lets a visitor ask the sender of an expired share to reopen it. */
export function AskToReopen({ id }: { id: string }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const ask = useMutation({ mutationFn: () => api('POST /api/shares/:id/askToReopen', { params: { id } }), onError: notify.error })
  if (ask.isSuccess) return <p role="status">{t('share.expired.asked')}</p>
  return (
    <button type="button" className="button button-primary" disabled={ask.isPending} onClick={() => ask.mutate()}>
      {t('share.expired.ask')}
    </button>
  )
}
