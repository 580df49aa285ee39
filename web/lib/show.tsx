import { startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { loadFirstPage } from '../App.tsx'
import { loadMessages } from '../i18n.ts'
import { Root } from '../Root.tsx'
import { followColorScheme } from './color-scheme.ts'

/**
 * Loads the texts and the first page, and returns a function that shows the application.
 * That hydrates the HTML of the server. It replaces the HTML if that is only the shell of a page,
 * or if the server rendered it for a visitor who turned out to be a user (`isOtherUser`).
 */
export async function load(isOtherUser: boolean): Promise<() => void> {
  const [antdLocale] = await Promise.all([loadMessages(), loadFirstPage()])
  const root = document.getElementById('root')
  if (!root) throw new Error('The page has no element #root.')
  const hydrates = !root.querySelector('main[aria-busy]') && !isOtherUser
  const app = <Root antdLocale={antdLocale} hydrates={hydrates} />
  const show = () => void (hydrates ? hydrateRoot(root, app) : createRoot(root).render(app))
  followColorScheme()
  return () => startTransition(show) // in slices, so that a phone stays responsive
}
