import { useMutation } from '@tanstack/react-query'
import { Switch } from 'antd'
import { useTranslation } from 'react-i18next'
import type { OwnReverseShare } from '../../../src/reverse-shares/contract.ts'
import { api } from '../../api.ts'
import { RowButton } from '../../components/RowList.tsx'
import { useNotify } from '../../lib/notify.tsx'
import type { OpenedDialog } from './Dialogs.tsx'
import { useRefresh } from './queries.ts'

interface Props {
  reverse: OwnReverseShare
  name: string
  onOpen(opened: OpenedDialog): void
}

/** What the owner can do with a reverse share. */
export function ReverseShareActions({ reverse, name, onOpen }: Props) {
  const { t } = useTranslation()
  return (
    <div className="reverse-actions">
      <OnOff reverse={reverse} name={name} />
      <RowButton
        icon="refresh"
        title={t('reverse.replace')}
        label={t('reverse.replaceOf', { name })}
        onClick={() => onOpen({ dialog: 'replace', reverse })}
      />
      <RowButton
        icon="pencil"
        title={t('shares.edit')}
        label={t('shares.editOf', { name })}
        onClick={() => onOpen({ dialog: 'edit', reverse })}
      />
      <RowButton
        icon="trash"
        danger
        title={t('common.delete')}
        label={t('shares.deleteOf', { name })}
        onClick={() => onOpen({ dialog: 'delete', reverse })}
      />
    </div>
  )
}

/** Turns an upload link off and on. What was received through it stays. */
function OnOff({ reverse: { id, enabled }, name }: { reverse: OwnReverseShare; name: string }) {
  const { t } = useTranslation()
  const notify = useNotify()
  const refresh = useRefresh()
  const turn = useMutation({
    mutationFn: (on: boolean) => api('PATCH /api/reverseShares/:id', { params: { id }, body: { enabled: on } }),
    onSettled: refresh,
    onError: notify.error,
  })
  return (
    <Switch checked={enabled} loading={turn.isPending} aria-label={t('reverse.switchOf', { name })} onChange={(on) => turn.mutate(on)} />
  )
}
