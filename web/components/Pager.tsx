import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../lib/format.ts'
import { Icon } from './Icon.tsx'

interface Props {
  /** The name of the list, if the page may have several. */
  label?: string
  page: number
  pages: number
  onChange(page: number): void
}

const maxWithoutField = 5

/**
 * Navigates the pages of a list. With more than five pages, the page number is a field. Renders
 * nothing for a single page.
 */
export function Pager({ label, page, pages, onChange }: Props) {
  const { t } = useTranslation()
  if (pages < 2) return null
  return (
    <nav className="pager line" aria-label={label ?? t('pager.label')}>
      <button
        type="button"
        className="icon-button"
        aria-label={t('pager.previous')}
        disabled={page <= 1}
        onClick={() => onChange(page - 1)}
      >
        <Icon name="back" />
      </button>
      {pages > maxWithoutField ? (
        <PageNumber page={page} pages={pages} onChange={onChange} />
      ) : (
        <span aria-current="page">{t('pager.position', { page: formatNumber(page), pages: formatNumber(pages) })}</span>
      )}
      <button
        type="button"
        className="icon-button flipped"
        aria-label={t('pager.next')}
        disabled={page >= pages}
        onClick={() => onChange(page + 1)}
      >
        <Icon name="back" />
      </button>
    </nav>
  )
}

const placeholder = '\uFFFC' // marks the position of the field in the text

/** The number of the page as a field. */
function PageNumber({ page, pages, onChange }: Props) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState<string | null>(null)
  const total = formatNumber(pages)
  const [before, after] = t('pager.position', { page: placeholder, pages: total }).split(placeholder)
  const go = () => {
    const target = Math.min(pages, Math.max(1, Number.parseInt(typed ?? '', 10) || page))
    setTyped(null)
    if (target !== page) onChange(target)
  }
  return (
    <form
      className="pager-position"
      onSubmit={(event) => {
        event.preventDefault()
        go()
      }}
    >
      {before}
      <input
        inputMode="numeric"
        autoComplete="off"
        aria-label={t('pager.position', { page: formatNumber(page), pages: total })}
        size={String(pages).length}
        maxLength={String(pages).length}
        value={typed ?? page}
        onChange={(event) => setTyped(event.target.value)}
        onFocus={(event) => event.target.select()}
        onBlur={go}
      />
      {after}
    </form>
  )
}
