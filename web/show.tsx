import { startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { loadFirstPage } from './App.tsx'
import { loadMessages } from './i18n.ts'
import { Root } from './Root.tsx'

/** Shows the application in place of the frame that the page came with. */
export async function show(): Promise<void> {
  const [antdLocale] = await Promise.all([loadMessages(), loadFirstPage()])
  startTransition(() => createRoot(document.getElementById('root')!).render(<Root antdLocale={antdLocale} />)) // in slices, between which a phone answers
}
