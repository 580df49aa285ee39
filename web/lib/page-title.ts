import { useEffect } from 'react'
import { settings } from '../start.ts'

/** Names the tab after the page that it shows. */
export function usePageTitle(title?: string): void {
  useEffect(() => {
    const name = settings['general.appName']
    document.title = title ? `${title} – ${name}` : name
  }, [title])
}
