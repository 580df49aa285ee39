import type { ConfigProviderProps } from 'antd'
import { startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { loadFirstPage } from './App.tsx'
import { loadMessages } from './i18n.ts'
import { Root } from './Root.tsx'

let antdLocale: ConfigProviderProps['locale']

/** Loads what the application is first shown with. */
export async function load(): Promise<void> {
  ;[antdLocale] = await Promise.all([loadMessages(), loadFirstPage()])
}

/** Shows the application in place of the frame that the page came with. */
export function show(): void {
  startTransition(() => createRoot(document.getElementById('root')!).render(<Root antdLocale={antdLocale} />)) // in slices, between which a phone answers
}
