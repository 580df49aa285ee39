import type { PublicSettings } from '../src/config/settings.ts'
import type { StartData } from '../src/contract.ts'

/** What the server knew when it sent this page. Signing in and out load a new page, so that it stays true. */
export const start = JSON.parse(document.getElementById('start')!.textContent!) as StartData

/** The public configuration. The pages are shown only where there is one; see Root.tsx. */
export const settings = start.settings as PublicSettings
