import type { PublicSettings } from '../src/config/settings.ts'
import type { StartData } from '../src/contract.ts'

/** What the server knew when it sent this page. Signing in and out load a new page, so that it stays true. */
export let start: StartData

/** The public configuration. The pages are shown only where there is one; see Root.tsx. */
export let settings: PublicSettings

/** Sets what the page starts with. The server does so before each page that it renders, which it does without a pause. */
export function setStart(data: StartData): void {
  start = data
  settings = data.settings as PublicSettings
}

if (!import.meta.env.SSR) setStart(JSON.parse(document.getElementById('start')!.textContent!))
