import { useEffect } from 'react'
import { settings } from '../start.ts'

let pageTitle: string | null = null
let prefix = ''

/** Sets the title of the browser tab. */
export function usePageTitle(title?: string): void {
  useEffect(() => {
    const name = settings['general.appName']
    pageTitle = title ? `${title} – ${name}` : name
    showTitle()
  }, [title])
}

/** Shows a text before the title of every page, such as the progress of an upload. */
export function setTitlePrefix(text: string): void {
  pageTitle ??= document.title
  prefix = text
  showTitle()
}

function showTitle(): void {
  document.title = [prefix, pageTitle].filter(Boolean).join(' · ')
}
