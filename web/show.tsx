import { startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { loadFirstPage } from './App.tsx'
import { loadMessages } from './i18n.ts'
import { Root } from './Root.tsx'

/** Loads what the application is first shown with; answers what shows it in place of what the page came with. */
export async function load(): Promise<() => void> {
  const [antdLocale] = await Promise.all([loadMessages(), loadFirstPage()])
  const show = () => createRoot(document.getElementById('root')!).render(<Root antdLocale={antdLocale} />)
  return () => startTransition(show) // in slices, between which a phone answers
}
