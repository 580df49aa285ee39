import type { InitOptions } from 'i18next'

/**
 * How texts are looked up: keys are flat (`shares.empty`), placeholders have single braces (`{count}`), plural forms are keys that end in the CLDR category
 * (`_one`, `_other`).
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
