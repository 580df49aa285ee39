import type { InitOptions } from 'i18next'

/**
 * Returns the options of i18next. Keys are flat (`shares.empty`) and placeholders have single
 * braces (`{count}`).
 * Plural forms are keys that end in the CLDR category (`_one`, `_other`).
 */
export function optionsOf(language: string, translation: Record<string, string>): InitOptions {
  return {
    lng: language,
    resources: { [language]: { translation } },
    keySeparator: false,
    nsSeparator: false,
    interpolation: { prefix: '{', suffix: '}', escapeValue: false }, // React escapes
  }
}
