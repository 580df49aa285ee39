import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../lib/error-text.ts'
import { detailsFormId } from './DetailsForm.tsx'

interface Props {
  sending: boolean
  /** How many files have not arrived and are not on their way. */
  unfinished: number
  saving: { saving: boolean; problem: unknown }
  onDiscard(): void
}

/** What is not saved, and the two ways on. */
export function EditBar({ sending, unfinished, saving: { saving, problem }, onDiscard }: Props) {
  const { t } = useTranslation()
  const why = sending ? t('edit.sendingFirst') : unfinished > 0 ? t('edit.unfinishedFirst', { count: unfinished }) : null
  return (
    <div className="save-bar edit-bar">
      <span role={problem ? 'alert' : undefined} className={problem ? 'row-problem' : undefined}>
        {problem ? errorText(t, problem) : (why ?? t('edit.unsaved'))}
      </span>
      <div className="actions">
        <Button disabled={saving} onClick={onDiscard}>
          {t('edit.discard')}
        </Button>
        <Button type="primary" htmlType="submit" form={detailsFormId} loading={saving} disabled={why !== null}>
          {t('edit.save')}
        </Button>
      </div>
    </div>
  )
}
