import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LinkedText } from '../../components/LinkedText.tsx'

/** Longer messages are collapsed. */
const maxShown = { characters: 180, lines: 3 }

/** Shows a sender's message. A long one is collapsed. */
export function Message({ text }: { text: string }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const isLong = text.length > maxShown.characters || text.split('\n').length > maxShown.lines
  return (
    <div className="arrival-message">
      <LinkedText text={text} className={isLong && !open ? 'arrival-folded' : undefined} />
      {isLong && (
        <button type="button" className="text-button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {t(open ? 'reverse.less' : 'reverse.more')}
        </button>
      )}
    </div>
  )
}
