import { address } from '../lib/address.ts'

const delay = 2_000 // ms

/**
 * Installs the service worker after the page has loaded. Browsers support it over HTTPS only, and
 * nothing depends on it.
 */
export function installServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  setTimeout(() => {
    navigator.serviceWorker.register(address('/service-worker.js')).catch((error) => console.info('service worker not installed', error))
  }, delay)
}
