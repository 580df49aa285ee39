import { useTranslation } from 'react-i18next'

/** The placeholder of a page that is loading. It appears after a short delay. */
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
