import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ReceivedShare } from '../../../src/reverse-shares/contract.ts'
import { ArrivalRow } from './ArrivalRow.tsx'
import type { Opened } from './Dialogs.tsx'

const first = 5
const step = 20

/** What has come through one reverse share, newest first; a long list grows when asked. */
export function Arrivals({ shares, onOpen }: { shares: ReceivedShare[]; onOpen(opened: Opened): void }) {
  const { t } = useTranslation()
  const [length, setLength] = useState(first)
  const more = Math.min(step, shares.length - length)
  return (
    <div className="arrivals">
      <h3>{t('reverse.arrived', { count: shares.length })}</h3>
      <ul>
        {shares.slice(0, length).map((share) => (
          <ArrivalRow key={share.id} share={share} onOpen={(dialog) => onOpen({ dialog, share })} />
        ))}
      </ul>
      {more > 0 && (
        <button type="button" className="text-button arrivals-more" onClick={() => setLength(length + step)}>
          {t('share.more', { count: more })}
        </button>
      )}
    </div>
  )
}
