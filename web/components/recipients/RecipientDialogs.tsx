import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Recipient } from '../../../src/shares/contract.ts'
import { api } from '../../api.ts'
import { useLast } from '../../lib/last.ts'
import { useNotify } from '../../lib/notify.tsx'
import { AskDialog } from '../AskDialog.tsx'

/** What is asked about a recipient. */
export interface Opened {
  action: 'replace' | 'remove'
  recipient: Recipient
}

interface Props {
  shareId: string
  /** null closes the dialog. */
  opened: Opened | null
  onRemoved(): void
  onClose(): void
}

/** Asks before a recipient's link is replaced, or a recipient is removed. */
export function RecipientDialogs({ shareId, opened, onRemoved, onClose }: Props) {
  const { t } = useTranslation()
  const notify = useNotify()
  const queries = useQueryClient()
  const last = useLast(opened)
  if (!last) return null
  const { id, email, link } = last.recipient
  const finish = async (text: string) => {
    onClose()
    await Promise.all(['recipients', 'links'].map((key) => queries.invalidateQueries({ queryKey: [key, shareId] })))
    notify.success(text)
  }
  const common = { open: opened !== null, onError: notify.error, onClose }
  if (last.action === 'replace')
    return (
      <AskDialog
        {...common}
        title={t('recipients.replaceTitle', { email })}
        text={t('recipients.replaceText')}
        ok={t('links.replace')}
        action={() => api('POST /api/shares/:id/links/:link/replace', { params: { id: shareId, link: link ?? '' }, body: null })}
        onDone={() => finish(t('links.replaced'))}
      />
    )
  return (
    <AskDialog
      {...common}
      danger
      title={t('recipients.removeTitle', { email })}
      text={t(link === null ? 'recipients.removeFirstText' : 'recipients.removeText')}
      ok={t('edit.remove')}
      action={() => api('DELETE /api/shares/:id/recipients/:recipientId', { params: { id: shareId, recipientId: id } })}
      onDone={async () => {
        await finish(t('recipients.removed', { email }))
        onRemoved()
      }}
    />
  )
}
