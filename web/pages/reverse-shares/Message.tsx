import { useState } from 'react'
import { useTranslation } from 'react-i18next'

const short = 180 // characters
const lines = 3

/** What a sender has to say; a long message is folded. */
export function Message({ text }: { text: string }) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const isLong = text.length > short || text.split('\n').length > lines
  return (
    <div className="arrival-message">
      <p dir="auto" className={isLong && !open ? 'arrival-folded' : undefined}>
        {text}
      </p>
      {isLong && (
        <button type="button" className="text-button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {t(open ? 'reverse.less' : 'reverse.more')}
        </button>
      )}
    </div>
  )
}
