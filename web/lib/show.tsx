import { startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { loadFirstPage } from '../App.tsx'
import { loadMessages } from '../i18n.ts'
import { Root } from '../Root.tsx'
import { followColorScheme } from './color-scheme.ts'

/**
 * Loads what the application is first shown with, and returns what shows it: it hydrates what the server rendered, or takes its place where there is only the
 * frame of a page, or where the server rendered it for a visitor who is a user (`isOtherUser`).
 */
export async function load(isOtherUser: boolean): Promise<() => void> {
  const [antdLocale] = await Promise.all([loadMessages(), loadFirstPage()])
  const root = document.getElementById('root')!
  const hydrates = !root.querySelector('main[aria-busy]') && !isOtherUser
  const app = <Root antdLocale={antdLocale} hydrates={hydrates} />
  const show = () => void (hydrates ? hydrateRoot(root, app) : createRoot(root).render(app))
  followColorScheme()
  return () => startTransition(show) // in slices, between which a phone responds
}
