import { useSyncExternalStore } from 'react'

const narrow = '(max-width: 760px)' // as in the style sheets

/** Whether the window is as narrow as a phone. Only for pages that the server doesn't render. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(narrow).matches)
}

function subscribe(onChange: () => void): () => void {
  const query = matchMedia(narrow)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}
