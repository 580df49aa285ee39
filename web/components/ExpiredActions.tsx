import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { ExtendDialog } from './ExtendDialog.tsx'
import { deleteOwn, useDeletion } from './use-deletion.ts'

/** Lets the owner of an expired share reopen or delete it. */
export function ExpiredActions({ id, onReopened }: { id: string; onReopened(): void }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const [isReopening, setIsReopening] = useState(false)
  const remove = useDeletion(deleteOwn, () => navigate('/account/shares'))
  return (
    <>
      <button type="button" className="button button-primary" onClick={() => setIsReopening(true)}>
        {t('shares.reopen')}
      </button>
      <button type="button" className="button" disabled={remove.isPending} onClick={() => remove.mutate([id])}>
        {t('shares.deleteNow')}
      </button>
      <ExtendDialog open={isReopening} ids={[id]} reopens onDone={onReopened} onClose={() => setIsReopening(false)} />
    </>
  )
}
