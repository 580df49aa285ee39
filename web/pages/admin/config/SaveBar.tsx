import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import type { SettingsForm } from './use-drafts.ts'

/** The bar that saves or discards unsaved changes. It is shown only if there are any. */
export function SaveBar({ form, formId }: { form: SettingsForm; formId: string }) {
  const { t } = useTranslation()
  const count = Object.keys(form.drafts).length
  return (
    <>
      <p className="visually-hidden" role="status">
        {count > 0 && t('config.changes', { count })}
      </p>
      {count > 0 && (
        <div className="save-bar spread toolbar">
          <span aria-hidden="true">{t('config.changes', { count })}</span>
          <div className="actions">
            <Button disabled={form.saving} onClick={form.discard}>
              {t('config.discard')}
            </Button>
            <Button type="primary" htmlType="submit" form={formId} loading={form.saving}>
              {t('config.save')}
            </Button>
          </div>
        </div>
      )}
    </>
  )
}
