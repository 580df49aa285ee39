import { useEffect } from 'react'
import { settings } from '../start.ts'

/** Sets the title of the browser tab. */
export function usePageTitle(title?: string): void {
  useEffect(() => {
    const name = settings['general.appName']
    document.title = title ? `${title} – ${name}` : name
  }, [title])
}
