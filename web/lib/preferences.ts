import type { ColorScheme } from '../../src/pages/page-html.ts'
import type { IconName } from '../components/icon-paths.ts'
import { address } from './address.ts'

/** The color schemes in the order of the menu. */
export const schemes: { scheme: ColorScheme; icon: IconName }[] = [
  { scheme: 'light', icon: 'sun' },
  { scheme: 'dark', icon: 'moon' },
  { scheme: 'system', icon: 'monitor' },
]

/** Stores a preference in a cookie for a year; the server reads it at the next page. */
export function storePreference(name: 'color_scheme' | 'file_view' | 'language', value: string): void {
  const secure = location.protocol === 'https:' ? '; secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API exists in secure contexts only
  document.cookie = `${name}=${value}; path=${address('') || '/'}; max-age=31536000; samesite=lax${secure}`
}

/** Stores the language for a year and reloads the page. */
export function chooseLanguage(code: string): void {
  storePreference('language', code)
  location.reload()
}
