import { Button } from 'antd'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { OwnerPage } from '../../../src/shares/contract.ts'
import { errorText } from '../../lib/error-text.ts'
import { detailsFormId } from './DetailsForm.tsx'
import { isElsewhere } from './rows.ts'

interface Props {
  uploading: boolean
  share: Pick<OwnerPage, 'id' | 'unfinishedFiles'>
  saving: { saving: boolean; problem: unknown }
  onDiscard(): void
}

/** Bar that saves or discards changes. Explains why saving is not possible yet. */
export function EditBar({ uploading, share, saving: { saving, problem }, onDiscard }: Props) {
  const { t } = useTranslation()
  const obstacle = uploading ? t('edit.sendingFirst') : unfinishedText(share, t)
  return (
    <div className="save-bar spread toolbar edit-bar">
      <span role={problem ? 'alert' : undefined} className={problem ? 'row-problem' : undefined}>
        {problem ? errorText(t, problem) : (obstacle ?? t('edit.unsaved'))}
      </span>
      <div className="actions">
        <Button disabled={saving} onClick={onDiscard}>
          {t('edit.discard')}
        </Button>
        <Button type="primary" htmlType="submit" form={detailsFormId} loading={saving} disabled={obstacle !== null}>
          {t('edit.save')}
        </Button>
      </div>
    </div>
  )
}

/** Returns what must be done about unfinished files before saving; null if there are none. */
function unfinishedText({ id, unfinishedFiles }: Props['share'], t: TFunction): string | null {
  const interrupted = unfinishedFiles.filter((file) => !isElsewhere(id, file)).length
  if (interrupted > 0) return t('edit.unfinishedFirst', { count: interrupted })
  return unfinishedFiles.length > 0 ? t('edit.elsewhere', { count: unfinishedFiles.length }) : null
}
