const patience = 2_000 // ms

/** Installs the service worker once the page has had its turn. Browsers have none over plain http; nothing depends on it. */
export function installServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  setTimeout(() => {
    navigator.serviceWorker.register('/service-worker.js').catch((error) => console.info('No service worker', error))
  }, patience)
}
