import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { start } from './start.ts'

const messages = import.meta.glob<Record<string, string>>('../locales/*.json', { import: 'default' })

/**
 * Loads the messages of the page's language. Keys are flat (`shares.empty`), placeholders have single braces (`{count}`), plural forms are keys that end in
 * the CLDR category (`_one`, `_other`).
 */
export async function loadMessages(): Promise<void> {
  const translation = await messages[`../locales/${start.language}.json`]!()
  await i18next.use(initReactI18next).init({
    lng: start.language,
    resources: { [start.language]: { translation } },
    keySeparator: false,
    nsSeparator: false,
    interpolation: { prefix: '{', suffix: '}', escapeValue: false }, // React escapes
  })
}
