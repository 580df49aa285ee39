import { beginOpening } from './pages/share/open-share.ts'
import { installServiceWorker } from './service-worker/register.ts'
import { keepSession, resumeSession } from './session.ts'
import { start } from './start.ts'
import { session } from './storage.ts'
import './styles.css'
import { storePreference } from './preferences.ts'

/** A new version has replaced the files that this page would load next. */
addEventListener('vite:preloadError', () => {
  const last = Number(session.get('reloadedAt'))
  if (Date.now() - last < 10_000) return
  session.set('reloadedAt', String(Date.now()))
  location.reload()
})

if (!document.cookie.includes(`language=${start.language}`)) storePreference('language', start.language)
const resumed = resumeSession()
if (start.page === '/share/:id' && start.settings) void resumed.then(() => beginOpening(location.pathname))
void begin()

/** The application is large: a phone may have answers by the time that it has that, and begins with the half that comes first. */
async function begin(): Promise<void> {
  await import('react-dom/client')
  const [{ show }] = await Promise.all([import('./show.tsx'), resumed, laterStyles()])
  keepSession()
  await show()
  installServiceWorker()
}

/** Waits for the styles that the frame of the page does without; where they do not come the page is shown all the same. */
function laterStyles(): Promise<void> {
  const link = document.getElementById('later-styles') as HTMLLinkElement
  return new Promise((resolve) => {
    if (link.sheet) return resolve()
    for (const event of ['load', 'error']) link.addEventListener(event, () => resolve())
  })
}
