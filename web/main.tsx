import { startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { loadFirstPage } from './App.tsx'
import { loadMessages } from './i18n.ts'
import { Root } from './Root.tsx'
import { installServiceWorker } from './service-worker/register.ts'
import { keepSession, resumeSession } from './session.ts'
import { start } from './start.ts'
import { session } from './storage.ts'
import './styles.css'
import { storePreference } from './theme.ts'

/** A new version has replaced the files that this page would load next. */
addEventListener('vite:preloadError', () => {
  const last = Number(session.get('reloadedAt'))
  if (Date.now() - last < 10_000) return
  session.set('reloadedAt', String(Date.now()))
  location.reload()
})

if (!document.cookie.includes(`language=${start.language}`)) storePreference('language', start.language)
const [antdLocale] = await Promise.all([loadMessages(), resumeSession(), loadFirstPage()])
keepSession()
startTransition(() => createRoot(document.getElementById('root')!).render(<Root antdLocale={antdLocale} />)) // in slices, between which a phone answers
installServiceWorker()
