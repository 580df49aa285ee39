import type { ColorScheme } from '../../src/pages/page-html.ts'
import { api } from '../api.ts'
import type { IconName } from '../components/icon-paths.ts'
import { start } from '../start.ts'
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

/**
 * Stores the language for a year in this browser, and for a user in the account, and reloads the
 * page.
 * @throws {ApiError} it could not be stored in the account
 */
export async function chooseLanguage(code: string): Promise<void> {
  if (start.user) await api('PATCH /api/users/me', { body: { language: code } })
  storePreference('language', code)
  location.reload()
}
