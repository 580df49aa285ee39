import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../lib/format.ts'
import { Icon } from './Icon.tsx'

interface Props {
  /** Whose pages these are, where there may be several lists. */
  label?: string
  page: number
  pages: number
  onChange(page: number): void
}

const few = 5

/** Leads through the pages of a long list; nothing where there is one page. Where there are many, any of them by its number. */
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
      {pages > few ? (
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

const place = '\uFFFC' // where the field stands among the words

/** The page in a field, to be typed over. */
function PageNumber({ page, pages, onChange }: Props) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState<string | null>(null)
  const total = formatNumber(pages)
  const [before, after] = t('pager.position', { page: place, pages: total }).split(place)
  const go = () => {
    const wanted = Math.min(pages, Math.max(1, Number.parseInt(typed ?? '', 10) || page))
    setTyped(null)
    if (wanted !== page) onChange(wanted)
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
