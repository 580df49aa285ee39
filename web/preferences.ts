import type { ColorScheme } from '../src/http/page-html.ts'
import type { IconName } from './components/Icon.tsx'
import { storePreference } from './theme.ts'

/** The colour schemes in the order in which they are offered. */
export const schemes: { scheme: ColorScheme; icon: IconName }[] = [
  { scheme: 'light', icon: 'sun' },
  { scheme: 'dark', icon: 'moon' },
  { scheme: 'system', icon: 'monitor' },
]

/** Chooses the language for a year, and loads the page in it. */
export function chooseLanguage(code: string): void {
  storePreference('language', code)
  location.reload()
}
