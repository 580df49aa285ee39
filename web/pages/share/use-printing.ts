import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** Returns whether the page is being printed, so that lists render all their rows. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false)
  useEffect(() => {
    const media = matchMedia('print')
    const update = () => flushSync(() => setPrinting(media.matches)) // the browser prints right afterwards
    media.addEventListener('change', update)
    return () => media.removeEventListener('change', update)
  }, [])
  return printing
}
