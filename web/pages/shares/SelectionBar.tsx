import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OwnShare } from '../../../src/shares/contract.ts'
import { AskDialog } from '../../components/AskDialog.tsx'
import { ExtendDialog } from '../../components/ExtendDialog.tsx'
import { Icon } from '../../components/Icon.tsx'
import { deleteOwn, useDeletion } from '../../components/use-deletion.ts'
import { copyText } from '../../lib/clipboard.ts'
import { useNotify } from '../../lib/notify.tsx'
import type { Selection } from './use-selection.ts'

interface Props {
  selection: Selection<OwnShare>
  onDeleted(): void
}

/** What can be done with the selected shares. It takes the place of the tools above the list. */
export function SelectionBar({ selection: { rows, clear }, onDeleted }: Props) {
  const { t } = useTranslation()
  const notify = useNotify()
  const [dialog, setDialog] = useState<'extend' | 'delete' | null>(null)
  const close = () => setDialog(null)
  const count = rows.length
  const ids = rows.map(({ id }) => id)
  const remove = useDeletion(deleteOwn, () => {
    clear()
    onDeleted()
  })
  const copy = async () => {
    const links = await Promise.all(rows.map(ownLinkOf))
    if (await copyText(links.join('\n'))) notify.success(t('shares.linksCopied', { count }))
    else notify.warning(t('common.copyFailed'))
  }
  const reopens = rows.every(({ keptUntil }) => keptUntil !== null)
  const isExtendable = reopens || rows.some(({ received }) => !received)
  return (
    <section className="shares-selection toolbar" aria-label={t('shares.selection')} hidden={count === 0}>
      <p role="status">{t('shares.selected', { count })}</p>
      <Button icon={<Icon name="copy" size={18} />} onClick={copy}>
        {t('shares.copyLinks')}
      </Button>
      <Button icon={<Icon name="clock" size={18} />} disabled={!isExtendable} onClick={() => setDialog('extend')}>
        {t(reopens ? 'shares.reopen' : 'shares.extend')}
      </Button>
      <Button
        danger
        icon={<Icon name="trash" size={18} />}
        loading={remove.isPending}
        onClick={() => (count > 1 ? setDialog('delete') : remove.mutate(ids))}
      >
        {t('common.delete')}
      </Button>
      <button
        type="button"
        className="icon-button"
        title={t('share.clearSelection')}
        aria-label={t('share.clearSelection')}
        onClick={clear}
      >
        <Icon name="close" />
      </button>
      <ExtendDialog open={dialog === 'extend'} ids={ids} reopens={reopens} onClose={close} onDone={clear} />
      <AskDialog
        open={dialog === 'delete'}
        danger
        title={t('shares.deleteManyTitle', { count })}
        text={t('shares.deleteManyText')}
        ok={t('common.delete')}
        action={() => remove.mutateAsync(ids)}
        onDone={close}
        onError={close}
        onClose={close}
      />
    </section>
  )
}

/** Returns the link of a share, with its key if it is encrypted and this browser has the key. */
async function ownLinkOf({ id, link, encrypted }: OwnShare): Promise<string> {
  if (!encrypted) return link
  return (await (await import('../../lib/encryption/encrypted-upload.ts')).wholeLinkOf(id, link)) ?? link
}
