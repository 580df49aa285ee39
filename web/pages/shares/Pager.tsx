import { useTranslation } from 'react-i18next'
import { Icon } from '../../components/Icon.tsx'
import { formatNumber } from '../../format.ts'

interface Props {
  page: number
  pages: number
  onChange(page: number): void
}

/** Leads through the pages of a long list; nothing where there is one page. */
export function Pager({ page, pages, onChange }: Props) {
  const { t } = useTranslation()
  if (pages < 2) return null
  return (
    <nav className="pager" aria-label={t('pager.label')}>
      <button
        type="button"
        className="icon-button"
        aria-label={t('pager.previous')}
        disabled={page <= 1}
        onClick={() => onChange(page - 1)}
      >
        <Icon name="back" />
      </button>
      <span aria-current="page">{t('pager.position', { page: formatNumber(page), pages: formatNumber(pages) })}</span>
      <button
        type="button"
        className="icon-button pager-next"
        aria-label={t('pager.next')}
        disabled={page >= pages}
        onClick={() => onChange(page + 1)}
      >
        <Icon name="back" />
      </button>
    </nav>
  )
}
