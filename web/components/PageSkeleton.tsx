import { useTranslation } from 'react-i18next'

/** Stands for a page that is on its way; it appears only when that takes a moment. */
export function PageSkeleton() {
  const { t } = useTranslation()
  return (
    <div className="skeleton" role="status">
      <span className="visually-hidden">{t('common.loading')}</span>
      <div className="skeleton-line skeleton-title" />
      <div className="skeleton-line" />
      <div className="skeleton-block" />
    </div>
  )
}
