import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../lib/error-text.ts'
import { detailsFormId } from './DetailsForm.tsx'

interface Props {
  uploading: boolean
  /** Number of files whose upload was interrupted. */
  unfinished: number
  saving: { saving: boolean; problem: unknown }
  onDiscard(): void
}

/** Bar that saves or discards changes. Explains why saving is not possible yet. */
export function EditBar({ uploading, unfinished, saving: { saving, problem }, onDiscard }: Props) {
  const { t } = useTranslation()
  const obstacle = uploading ? t('edit.sendingFirst') : unfinished > 0 ? t('edit.unfinishedFirst', { count: unfinished }) : null
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
