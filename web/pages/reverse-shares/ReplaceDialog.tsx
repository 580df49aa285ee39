import { useTranslation } from 'react-i18next'
import type { OwnReverseShare } from '../../../src/reverse-shares/contract.ts'
import { api } from '../../api.ts'
import { AskDialog } from '../../components/AskDialog.tsx'
import { useLast } from '../../lib/last.ts'
import { useNotify } from '../../lib/notify.tsx'
import { useRefresh } from './queries.ts'

interface Props {
  reverse: OwnReverseShare | null
  onDone(link: string): void
  onClose(): void
}

/** Asks before an upload link gets a new token. */
export function ReplaceDialog({ reverse, onDone, onClose }: Props) {
  const { t } = useTranslation()
  const notify = useNotify()
  const refresh = useRefresh()
  const last = useLast(reverse)
  if (!last) return null
  const { id, name, token } = last
  const replace = async () => {
    const { link } = await api('POST /api/reverseShares/:id/replace', { params: { id }, body: null })
    onDone(link)
    await refresh()
  }
  return (
    <AskDialog
      open={reverse !== null}
      title={t('links.replaceTitle')}
      text={t('reverse.replaceText', { name: name ?? token })}
      ok={t('links.replace')}
      action={replace}
      onError={notify.error}
      onClose={onClose}
    />
  )
}
