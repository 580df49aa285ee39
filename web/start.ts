import type { PublicSettings } from '../src/config/settings.ts'
import type { StartData } from '../src/contract.ts'

/**
 * Data that the server has embedded in the page. Signing in and out load a new page, so it stays
 * valid.
 */
export let start: StartData

/** The public settings. Root.tsx renders pages only if there are any. */
export let settings: PublicSettings

/** Sets the start data. The server calls it before each page and then renders synchronously. */
export function setStart(data: StartData): void {
  start = data
  settings = data.settings as PublicSettings
}

if (!import.meta.env.SSR) setStart(JSON.parse(document.getElementById('start')!.textContent!))
