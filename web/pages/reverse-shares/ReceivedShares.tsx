import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OwnReverseShare } from '../../../src/reverse-shares/contract.ts'
import { Pager } from '../../components/Pager.tsx'
import type { OpenedDialog } from './Dialogs.tsx'
import { receivedPageSize, useReceivedShares } from './queries.ts'
import { ReceivedShareRow } from './ReceivedShareRow.tsx'

interface Props {
  reverse: OwnReverseShare
  onOpen(opened: OpenedDialog): void
}

/**
 * Lists the shares received through a reverse share, newest first. Shows the last few, and on
 * request all in pages.
 */
export function ReceivedShares({ reverse: { id, name, token, shares, shareCount }, onOpen }: Props) {
  const { t } = useTranslation()
  const [chosenPage, setPage] = useState<number | null>(null)
  const pages = Math.max(1, Math.ceil(shareCount / receivedPageSize))
  const page = chosenPage && Math.min(chosenPage, pages)
  const { data: rows = shares, isPlaceholderData } = useReceivedShares(id, page)
  const more = Math.min(shareCount, receivedPageSize) - shares.length
  return (
    <div className="arrivals">
      <h3>{t('reverse.arrived', { count: shareCount })}</h3>
      <ul aria-busy={isPlaceholderData}>
        {rows.map((share) => (
          <ReceivedShareRow key={share.id} share={share} onAdopt={() => onOpen({ dialog: 'adopt', share })} />
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
