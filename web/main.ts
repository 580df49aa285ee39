import { keepSession, resumeSession } from './lib/session.ts'
import { session } from './lib/storage.ts'
import { preloadShare } from './pages/share/share-access.ts'
import { installServiceWorker } from './service-worker/register.ts'
import { start } from './start.ts'
import './styles.css'
import { storePreference } from './lib/preferences.ts'

declare global {
  interface Window {
    /** Says that the application has not come; from index.html, whose script knows it first. */
    applicationFailed(): void
    /** Whether a file of the share was taken before the application had come, which the server has counted as the visit. */
    fileTaken?: boolean
  }
}

/** A new version may have replaced the files that this page would load next. */
addEventListener('vite:preloadError', (event) => {
  const now = Date.now()
  const isFirst = now - Number(session.get('reloadedAt')) > 10_000
  if (isFirst) session.set('reloadedAt', String(now))
  if (isFirst && session.get('reloadedAt') === String(now))
    location.reload() // where nothing is kept it would load again for ever
  else event.preventDefault() // a page without its styles is better than none; without its script it fails all the same
})

if (!document.cookie.includes(`language=${start.language}`)) storePreference('language', start.language)
const resumed = resumeSession()
const [, shareId] = /^\/share\/([\w-]+)$/.exec(location.pathname) ?? []
if (shareId && start.settings) {
  void resumed.then((isOtherUser) => {
    if (isOtherUser && start.share?.access === 'password') start.share = null // this user may not need it
    preloadShare(shareId)
  })
}
begin().catch(() => window.applicationFailed())

/** The application is large: a phone may have answers by the time that it has that, and begins with the parts that come first. */
async function begin(): Promise<void> {
  await import('react-dom/client')
  await pause()
  await import('antd/es/config-provider')
  await pause()
  const [{ load }, isOtherUser] = await Promise.all([import('./lib/show.tsx'), resumed, laterStyles()])
  await pause()
  keepSession()
  const show = await load(isOtherUser)
  await pause()
  show()
  installServiceWorker()
}

/** Lets the page answer and be painted before work goes on. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

/** Waits for the styles that the frame of the page does without; where they do not come the page is shown all the same. */
async function laterStyles(): Promise<void> {
  await Promise.all([...document.querySelectorAll<HTMLLinkElement>('link[as=style]')].map(settled))
}

function settled(link: HTMLLinkElement): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => link.sheet && resolve()
    settle()
    link.addEventListener('load', settle) // not when it was only loaded beforehand
    link.addEventListener('error', () => resolve())
  })
}
