import type { ColorScheme } from '../../src/pages/page-html.ts'
import type { IconName } from '../components/icon-paths.ts'

/** The colour schemes in the order in which they are offered. */
export const schemes: { scheme: ColorScheme; icon: IconName }[] = [
  { scheme: 'light', icon: 'sun' },
  { scheme: 'dark', icon: 'moon' },
  { scheme: 'system', icon: 'monitor' },
]

/** Keeps a preference for a year where the server sees it at the next page. */
export function storePreference(name: 'color_scheme' | 'language', value: string): void {
  const secure = location.protocol === 'https:' ? '; secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API exists in secure contexts only
  document.cookie = `${name}=${value}; path=/; max-age=31536000; samesite=lax${secure}`
}

/** Chooses the language for a year, and loads the page in it. */
export function chooseLanguage(code: string): void {
  storePreference('language', code)
  location.reload()
}
