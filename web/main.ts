import { currentPath } from './lib/address.ts'
import { keepSession, resumeSession } from './lib/session.ts'
import { session } from './lib/storage.ts'
import { preloadShare } from './pages/share/share-access.ts'
import { installServiceWorker } from './service-worker/register.ts'
import { start } from './start.ts'
import './styles.css'
import './components/blocks.css'

declare global {
  interface Window {
    /** Shows that the application could not be loaded. Defined by the script in index.html. */
    applicationFailed(): void
    /**
     * Whether a file was downloaded before the application was loaded. The server has counted that
     * as the visit.
     */
    fileTaken?: boolean
  }
}

// A new version may have replaced the files that this page needs next.
addEventListener('vite:preloadError', (event) => {
  const now = Date.now()
  const isFirst = now - Number(session.get('reloadedAt')) > 10_000
  if (isFirst) session.set('reloadedAt', String(now))
  if (isFirst && session.get('reloadedAt') === String(now))
    location.reload() // without session storage it would reload forever
  else event.preventDefault() // a page without its styles is still usable
})

const resumed = resumeSession()
const [, shareId] = /^\/share\/([\w-]+)$/.exec(currentPath()) ?? []
if (shareId && start.settings) {
  void resumed.then((isOtherUser) => {
    if (isOtherUser && start.share?.access !== 'granted') start.share = null // the owner needs no password and no code
    preloadShare(shareId)
  })
}
begin().catch(() => window.applicationFailed())

/**
 * Loads and starts the application. It yields between the large parts, so that a slow phone stays
 * responsive
 * and can evaluate each part as soon as it has arrived.
 */
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

/** Yields, so that the page can handle events and be painted. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

/** Waits until the style sheets that the shell does not need are loaded or have failed. */
async function laterStyles(): Promise<void> {
  await Promise.all([...document.querySelectorAll<HTMLLinkElement>('link[as=style]')].map(settled))
}

function settled(link: HTMLLinkElement): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => link.sheet && resolve()
    settle()
    link.addEventListener('load', settle) // `link.sheet` is still null after the preload
    link.addEventListener('error', () => resolve())
  })
}
