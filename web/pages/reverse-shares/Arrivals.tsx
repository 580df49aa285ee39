import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OwnReverseShare } from '../../../src/reverse-shares/contract.ts'
import { Pager } from '../../components/Pager.tsx'
import { ArrivalRow } from './ArrivalRow.tsx'
import type { Opened } from './Dialogs.tsx'
import { arrivals, useArrivals } from './queries.ts'

interface Props {
  reverse: OwnReverseShare
  onOpen(opened: Opened): void
}

/** What has come through one reverse share, newest first: the last few, and when asked all of it in pages. */
export function Arrivals({ reverse: { id, name, token, shares, shareCount }, onOpen }: Props) {
  const { t } = useTranslation()
  const [wanted, setPage] = useState<number | null>(null)
  const pages = Math.max(1, Math.ceil(shareCount / arrivals.pageSize))
  const page = wanted && Math.min(wanted, pages)
  const { data: rows = shares, isPlaceholderData } = useArrivals(id, page)
  const more = Math.min(shareCount, arrivals.pageSize) - shares.length
  return (
    <div className="arrivals">
      <h3>{t('reverse.arrived', { count: shareCount })}</h3>
      <ul aria-busy={isPlaceholderData}>
        {rows.map((share) => (
          <ArrivalRow key={share.id} share={share} onOpen={(dialog) => onOpen({ dialog, share })} />
        ))}
      </ul>
      {page === null && more > 0 && (
        <button type="button" className="text-button arrivals-more" onClick={() => setPage(1)}>
          {t('share.more', { count: more })}
        </button>
      )}
      {page !== null && <Pager label={`${t('pager.label')}: ${name ?? token}`} page={page} pages={pages} onChange={setPage} />}
    </div>
  )
}
